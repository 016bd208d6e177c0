import MediaBase
import WebRTCClient

/// Statistics of one track's sequence numbers, as the subscriber sees them.
struct SequenceWatch {
    private(set) var packets = 0
    /// Sequence numbers that were skipped, whether or not their packets arrived later.
    private(set) var skipped: Int64 = 0
    /// Packets that arrived after a packet with a higher number.
    private(set) var late = 0
    /// Longest time without a packet.
    private(set) var longestPause = MediaTime.zero
    private var last: (sequence: Int64, at: MediaTime)?

    var isContiguous: Bool { packets > 0 && skipped == 0 && late == 0 }

    mutating func note(_ packet: IncomingPacket, now: MediaTime) {
        packets += 1
        guard let last else {
            last = (packet.sequence, now)
            return
        }
        longestPause = max(longestPause, now - last.at)
        if packet.sequence <= last.sequence {
            late += 1
        } else {
            skipped += packet.sequence - last.sequence - 1
        }
        self.last = (max(packet.sequence, last.sequence), now)
    }

    /// Ignores pauses before this call.
    mutating func forgetPauses() { longestPause = .zero }
}
