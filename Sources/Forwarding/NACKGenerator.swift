package import MediaBase

/// Which packets of a stream are missing, and when to ask the publisher for them again (RFC 4585 section 6.2.1). The first request
/// waits a little, for packets that are only out of order; later ones wait for the round trip and back off; after a few it gives up.
///
/// A stream without loss costs two comparisons a packet and no memory; 1,000 missing packets cost 40 KB, kept for the next loss.
package struct NACKGenerator: Sendable {
    /// Missing packets that are remembered; a gap that is larger is hopeless and asks for a key frame instead.
    package static let maximumMissing = 1_000
    /// A gap of more packets than this after a silence is that of a path that was gone: what senders still hold of it is too old to be
    /// worth waiting for, and asking for all of it would fill the path that has just come back.
    package static let longestGapAfterSilence = 64
    package static let silence = MediaTime.milliseconds(500)
    package static let reorderingDelay = MediaTime.milliseconds(20)
    /// Requests for one packet. With the back-off the last answer is waited for until about 2.4 s after the loss, which is what
    /// the retransmission memory of a sender holds.
    package static let maximumRequests = 8
    /// The first retry's delay before a round trip has been seen.
    package static let firstRetry = MediaTime.milliseconds(50)
    package static let shortestRetry = MediaTime.milliseconds(20)
    package static let longestRetry = MediaTime.milliseconds(400)

    private struct Missing: Sendable {
        var sequence: Int64
        var lastRequest: MediaTime
        var nextRequest: MediaTime
        var requests: Int
    }

    /// In order of sequence number; empty while nothing is lost.
    private var missing: [Missing] = []
    private var highest: Int64?
    /// When `highest` came.
    private var advancedAt = MediaTime.zero
    /// No request is due before; packets that came in the meantime do not move it.
    private var earliest = MediaTime.never
    /// Smoothed time from a request to the packet, of packets that came after one request.
    package private(set) var roundTrip: MediaTime?
    /// Packets were given up or a gap was too large: only a key frame helps a video stream now.
    package private(set) var needsKeyFrame = false

    package init() {}

    /// - Parameter sequence: unwrapped, of a packet that came.
    package mutating func receive(sequence: Int64, now: MediaTime) {
        guard let highest else {
            self.highest = sequence
            advancedAt = now
            return
        }
        if sequence > highest {
            self.highest = sequence
            defer { advancedAt = now }
            if sequence != highest &+ 1 { noteGap(from: highest &+ 1, to: sequence, now: now) }
        } else if !missing.isEmpty {
            noteArrival(of: sequence, now: now)
        }
    }

    package mutating func keyFrameRequested() { needsKeyFrame = false }

    /// When to call `take(now:)`; nil with nothing missing.
    package var deadline: MediaTime? { missing.isEmpty ? nil : earliest }

    package var missingCount: Int { missing.count }

    /// Sequence numbers to ask for now, at most `limit`, in rising order; packets that were asked for often enough are forgotten.
    package mutating func take(now: MediaTime, limit: Int = 256) -> [SequenceNumber] {
        guard !missing.isEmpty, earliest <= now else { return [] }
        var due: [SequenceNumber] = []
        var kept = 0
        earliest = .never
        for index in missing.indices {
            var entry = missing[index]
            if entry.nextRequest <= now, due.count < limit {
                if entry.requests >= Self.maximumRequests {
                    needsKeyFrame = true
                    continue
                }
                due.append(SequenceNumber(UInt16(truncatingIfNeeded: entry.sequence)))
                entry.nextRequest = now + delay(afterRequests: entry.requests)
                entry.lastRequest = now
                entry.requests += 1
            }
            earliest = min(earliest, entry.nextRequest)
            missing[kept] = entry
            kept += 1
        }
        missing.removeLast(missing.count - kept)
        return due
    }

    /// One and a half round trips, doubled with each request.
    private func delay(afterRequests requests: Int) -> MediaTime {
        let first = roundTrip.map { MediaTime(rawValue: $0.rawValue / 2 * 3) } ?? Self.firstRetry
        let bounded = min(max(first, Self.shortestRetry), Self.longestRetry)
        return min(MediaTime(rawValue: bounded.rawValue << Int64(requests)), Self.longestRetry)
    }

    private mutating func noteGap(from first: Int64, to end: Int64, now: MediaTime) {
        let most = now - advancedAt > Self.silence ? Self.longestGapAfterSilence : Self.maximumMissing - missing.count
        guard end &- first <= Int64(min(most, Self.maximumMissing - missing.count)) else {
            missing.removeAll(keepingCapacity: true)
            needsKeyFrame = true
            return
        }
        let request = now + Self.reorderingDelay
        for sequence in first..<end {
            missing.append(Missing(sequence: sequence, lastRequest: now, nextRequest: request, requests: 0))
        }
        earliest = missing.count == Int(end - first) ? request : min(earliest, request)
    }

    private mutating func noteArrival(of sequence: Int64, now: MediaTime) {
        var low = 0
        var high = missing.count
        while low < high {
            let middle = (low + high) / 2
            if missing[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        guard low < missing.count, missing[low].sequence == sequence else { return }
        let entry = missing.remove(at: low)
        // After two requests nobody can tell which one was answered.
        guard entry.requests == 1 else { return }
        let sample = now - entry.lastRequest
        roundTrip = roundTrip.map { MediaTime(rawValue: $0.rawValue + (sample.rawValue - $0.rawValue) / 8) } ?? sample
    }
}
