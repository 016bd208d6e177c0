package import MediaBase

/// Tracks the missing packets of a stream and when to request them with generic NACKs (RFC 4585 section 6.2.1). The first request waits for
/// `Timing.reorderingDelay`, in case a packet is only out of order. Later ones wait for the round trip and back off; after `maximumRequests`
/// requests the packet is given up.
///
/// A stream without loss costs two comparisons per packet and no memory. 1,000 missing packets need 40 KB, which are kept for the next
/// loss.
package struct NACKGenerator: Sendable {
    /// Maximum number of missing packets. A larger gap cannot be repaired, so a key frame is requested instead.
    package static let maximumMissing = 1_000
    /// Maximum gap after a `silence`. A larger one means that the path was interrupted: senders no longer hold most of the packets in time
    /// to be of use, and requesting all of them would fill the path that has just recovered.
    package static let longestGapAfterSilence = 64
    package static let silence = MediaTime.milliseconds(500)
    /// Maximum number of requests for one packet. With the back-off, the last answer can come until about 2.4 s after the loss, which is
    /// about as long as senders keep packets for retransmission.
    package static let maximumRequests = 8
    /// Delay of the first retry until a round trip has been measured.
    package static let firstRetry = MediaTime.milliseconds(50)
    package static let shortestRetry = MediaTime.milliseconds(20)
    package static let longestRetry = MediaTime.milliseconds(400)

    /// Times of requests that depend on the kind of media.
    package struct Timing: Sendable {
        /// Time from a gap to the first request.
        package var reorderingDelay: MediaTime
        /// Time after which a missing packet is given up, because it would arrive too late to be of use.
        package var lifetime: MediaTime

        package static let video = Timing(reorderingDelay: .milliseconds(20), lifetime: .never)
        /// Packets of audio are 10 to 60 ms apart, so that one after a gap is itself later than most packets out of order. Receivers play
        /// audio 40 to 200 ms after its arrival, on paths with much jitter a little later, and replace what is missing then.
        package static let audio = Timing(reorderingDelay: .milliseconds(5), lifetime: .milliseconds(300))
    }

    private struct Missing: Sendable {
        var sequence: Int64
        /// Time at which the gap was seen.
        let since: MediaTime
        var lastRequest: MediaTime
        var nextRequest: MediaTime
        var requests: Int
    }

    /// Missing packets in order of sequence number; empty while none is missing.
    private var missing: [Missing] = []
    private var highest: Int64?
    /// Arrival time of `highest`.
    private var advancedAt = MediaTime.zero
    /// Earliest time of the next request. Arriving packets do not change it.
    private var earliest = MediaTime.never
    /// Smoothed time from a request to the packet, measured on packets that were requested exactly once.
    package private(set) var roundTrip: MediaTime?
    /// True if packets were given up or a gap was too large. A video stream then needs a key frame.
    package private(set) var needsKeyFrame = false
    private let timing: Timing

    package init(_ timing: Timing = .video) { self.timing = timing }

    /// Handles a received packet.
    /// - Parameter sequence: its unwrapped sequence number.
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

    /// Time at which to call `take(now:)`; nil if no packet is missing.
    package var deadline: MediaTime? { missing.isEmpty ? nil : earliest }

    package var missingCount: Int { missing.count }

    /// Returns the sequence numbers to request now, at most `limit`, in ascending order. Gives up packets that have been requested
    /// `maximumRequests` times, or have been missing for their lifetime.
    package mutating func take(now: MediaTime, limit: Int = 256) -> [SequenceNumber] {
        guard !missing.isEmpty, earliest <= now else { return [] }
        var due: [SequenceNumber] = []
        var kept = 0
        earliest = .never
        for index in missing.indices {
            var entry = missing[index]
            if entry.nextRequest <= now, due.count < limit {
                if entry.requests >= Self.maximumRequests || now - entry.since > timing.lifetime {
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

    /// Returns the delay of the next request: one and a half round trips, doubled with each request.
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
        let request = now + timing.reorderingDelay
        for sequence in first..<end {
            missing.append(
                Missing(sequence: sequence, since: now, lastRequest: now, nextRequest: request, requests: 0))
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
        // After two requests it is unknown which one was answered.
        guard entry.requests == 1 else { return }
        let sample = now - entry.lastRequest
        roundTrip = roundTrip.map { MediaTime(rawValue: $0.rawValue + (sample.rawValue - $0.rawValue) / 8) } ?? sample
    }
}
