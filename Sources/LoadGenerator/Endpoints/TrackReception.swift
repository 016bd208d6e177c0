import MediaBase
import RTP

/// Reception of one track by one subscriber, from the unencrypted part of its packets.
struct TrackReception {
    let ssrc: UInt32
    let kind: MediaKind
    private let requestsMissing: Bool
    private(set) var sequence = SequenceStatistics()
    private(set) var packets: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    /// Interarrival jitter in clock ticks, times 16 (RFC 3550 appendix A.8).
    private var jitter: Int64 = 0
    private var transit: Int64?
    private var expectedAtReport: UInt64 = 0
    private var receivedAtReport: UInt64 = 0
    private var missing: [Missing] = []

    /// A missing packet to request.
    private struct Missing {
        let number: Int64
        let since: Int64
        var asked: Int64
        var tries: Int
    }

    private static let mostMissing = 256
    private static let patience: Int64 = 400_000_000
    private static let repeatAfter: Int64 = 50_000_000

    /// - Parameter requestsMissing: true to list missing packets of video for requests.
    init(ssrc: UInt32, kind: MediaKind, requestsMissing: Bool = true) {
        self.ssrc = ssrc
        self.kind = kind
        self.requestsMissing = requestsMissing && kind == .video
    }

    var isMissingPackets: Bool { !missing.isEmpty }

    mutating func record(_ header: RTPHeader, bytes count: Int, now: Int64) {
        packets += 1
        bytes += UInt64(count)
        let arrival = sequence.record(header.sequenceNumber.rawValue)
        if case .gap(let length) = arrival, requestsMissing, length <= Self.mostMissing {
            let highest = sequence.highest
            for number in (highest - Int64(length))..<highest where missing.count < Self.mostMissing {
                missing.append(Missing(number: number, since: now, asked: 0, tries: 0))
            }
        }
        if case .restart = arrival {
            missing.removeAll()
            transit = nil
        }
        let ticks = RTPTicks.ticks(nanoseconds: now, clockRate: Int64(kind.clockRate))
        let passage = ticks &- Int64(header.timestamp.rawValue)
        if let transit {
            let difference = Int64(Int32(truncatingIfNeeded: passage &- transit).magnitude)
            jitter += difference - ((jitter + 8) >> 4)
        }
        transit = passage
    }

    /// Returns the numbers to request now: each up to three times, 50 ms apart.
    mutating func numbersToAskFor(now: Int64) -> [SequenceNumber] {
        guard !missing.isEmpty else { return [] }
        let sequence = sequence
        missing.removeAll { entry in
            let isGivenUp = now - entry.since > Self.patience
            return isGivenUp || !sequence.isMissing(entry.number)
        }
        var numbers: [SequenceNumber] = []
        for i in missing.indices where missing[i].tries < 3 && now - missing[i].asked > Self.repeatAfter {
            missing[i].asked = now
            missing[i].tries += 1
            numbers.append(SequenceNumber(UInt16(truncatingIfNeeded: missing[i].number)))
        }
        return numbers
    }

    /// Returns the values of a report block (RFC 3550 section 6.4.1), counted since the previous call.
    mutating func reportValues() -> (fractionLost: UInt8, cumulativeLost: Int32, highest: UInt32, jitter: UInt32) {
        let expected = sequence.expected - expectedAtReport
        let received = sequence.received - receivedAtReport
        (expectedAtReport, receivedAtReport) = (sequence.expected, sequence.received)
        let lost = expected > received ? expected - received : 0
        return (
            expected == 0 ? 0 : UInt8(min(255, lost * 256 / expected)), Int32(min(sequence.lost, 0x7f_ffff)),
            UInt32(truncatingIfNeeded: max(0, sequence.highest)), UInt32(clamping: jitter >> 4)
        )
    }

    func add(to total: inout ReceptionStatistics) {
        total.packets += packets
        total.bytes += bytes
        total.expected += sequence.expected
        total.lost += sequence.lost
        total.duplicates += sequence.duplicates
        total.reordered += sequence.reordered
        total.restarts += sequence.restarts
        total.tracks += 1
    }
}
