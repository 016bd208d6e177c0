package import MediaBase

/// Which packets of a stream are missing, and when to ask the publisher for them again (RFC 4585 section 6.2.1). The first request waits
/// a little, for packets that are only out of order; later ones back off; after a few it gives up.
package struct NACKGenerator: Sendable {
    /// Missing packets that are remembered; a gap that is larger is hopeless and asks for a key frame instead.
    package static let maximumMissing = 1000
    package static let reorderingDelay = MediaTime.milliseconds(20)
    package static let maximumRequests = 8
    private static let firstRetry = MediaTime.milliseconds(50)
    private static let longestRetry = MediaTime.milliseconds(400)

    private struct Missing: Sendable {
        var sequence: Int64
        var nextRequest: MediaTime
        var retry: MediaTime
        var requests: Int
    }

    /// In order of sequence number; empty while nothing is lost.
    private var missing: [Missing] = []
    private var highest: Int64?
    /// Packets were given up or a gap was too large: only a key frame helps a video stream now.
    package private(set) var needsKeyFrame = false

    package init() {}

    /// - Parameter sequence: unwrapped, of a packet that came.
    package mutating func receive(sequence: Int64, now: MediaTime) {
        guard let highest else {
            self.highest = sequence
            return
        }
        if sequence == highest &+ 1 {
            self.highest = sequence
            return
        }
        if sequence > highest {
            let gap = sequence - highest - 1
            if gap + Int64(missing.count) > Int64(Self.maximumMissing) {
                missing.removeAll(keepingCapacity: true)
                needsKeyFrame = true
            } else {
                for lost in (highest + 1)..<sequence {
                    missing.append(
                        Missing(
                            sequence: lost, nextRequest: now + Self.reorderingDelay, retry: Self.firstRetry, requests: 0))
                }
            }
            self.highest = sequence
        } else if !missing.isEmpty, let at = missing.firstIndex(where: { $0.sequence == sequence }) {
            missing.remove(at: at)
        }
    }

    package mutating func keyFrameRequested() { needsKeyFrame = false }

    /// When `take(now:)` has something to give; nil with nothing missing.
    package var deadline: MediaTime? { missing.min { $0.nextRequest < $1.nextRequest }?.nextRequest }

    package var missingCount: Int { missing.count }

    /// Sequence numbers to ask for now, at most `limit`.
    package mutating func take(now: MediaTime, limit: Int = 256) -> [SequenceNumber] {
        guard !missing.isEmpty else { return [] }
        var due: [SequenceNumber] = []
        var i = 0
        while i < missing.count {
            if missing[i].nextRequest <= now {
                if missing[i].requests >= Self.maximumRequests {
                    missing.remove(at: i)
                    needsKeyFrame = true
                    continue
                }
                if due.count < limit {
                    due.append(SequenceNumber(UInt16(truncatingIfNeeded: missing[i].sequence)))
                    missing[i].requests += 1
                    missing[i].nextRequest = now + missing[i].retry
                    missing[i].retry = min(MediaTime(rawValue: missing[i].retry.rawValue * 2), Self.longestRetry)
                }
            }
            i += 1
        }
        return due
    }
}
