import Forwarding
import MediaBase
import RTP

/// Reception of one track by one subscriber, from the unencrypted part of its packets.
struct TrackReception {
    let ssrc: UInt32
    let kind: MediaKind
    private(set) var sequence = SequenceStatistics()
    private(set) var packets: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    /// Missing packets to request; nil if none are requested.
    private var losses: NACKGenerator?
    /// Loss and jitter for receiver reports.
    private var reports: Forwarding.ReceptionStatistics

    /// - Parameter requestsMissing: true to list missing packets of video for requests.
    init(ssrc: UInt32, kind: MediaKind, requestsMissing: Bool = true) {
        self.ssrc = ssrc
        self.kind = kind
        losses = requestsMissing && kind == .video ? NACKGenerator() : nil
        reports = .init(clockRate: kind.clockRate)
    }

    var isMissingPackets: Bool { losses?.deadline != nil }

    mutating func record(_ header: RTPHeader, bytes count: Int, now: Int64) {
        packets += 1
        bytes += UInt64(count)
        if sequence.record(header.sequenceNumber.rawValue) == .restart {
            if losses != nil { losses = NACKGenerator() }
            reports = .init(clockRate: kind.clockRate)
        }
        let (number, now) = (sequence.extended(header.sequenceNumber.rawValue), MediaTime.nanoseconds(now))
        losses?.receive(sequence: number, now: now)
        reports.receive(sequence: number, timestamp: header.timestamp, now: now)
    }

    /// Returns the numbers to request now, by the same rule as WebRTC participants.
    mutating func numbersToAskFor(now: Int64) -> [SequenceNumber] { losses?.take(now: .nanoseconds(now)) ?? [] }

    /// Returns whether packets were given up since the last call, so that a key frame is needed.
    mutating func takeKeyFrameNeed() -> Bool {
        guard losses?.needsKeyFrame == true else { return false }
        losses?.keyFrameRequested()
        return true
    }

    /// Returns the report block for the time since the previous one; nil before the first packet.
    mutating func reportBlock(now: Int64) -> ReportBlock? {
        // The relay's sender reports are not decrypted, so the clock has none of them.
        reports.reportBlock(source: SSRC(ssrc), clock: SenderClock(clockRate: kind.clockRate), now: .nanoseconds(now))
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
