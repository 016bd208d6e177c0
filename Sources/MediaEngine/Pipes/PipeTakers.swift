import MediaBase
import RTP

/// Numbers of subscribers and taps at the receiving end of a pipe, by encoding, in an RTCP packet to the sending end. If the path is
/// too narrow, the sending end withholds encodings with few takers first. Relays of earlier versions ignore the packet. For each encoding:
///
///     |                            SSRC                               |
///     |                            takers                             |
struct PipeTakers: Equatable {
    struct Entry: Equatable {
        let ssrc: UInt32
        let takers: UInt32
    }

    static let subtype: UInt8 = 3
    /// Maximum number of encodings in a packet, so that it fits the MTU.
    static let maximumEntries = 128

    let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    /// - Returns: nil if the packet has no numbers of takers, or is malformed.
    init?(_ packet: APP) {
        guard packet.name == PipeFormat.name, packet.subtype == Self.subtype,
            packet.words.count <= 2 * Self.maximumEntries, packet.words.count.isMultiple(of: 2)
        else { return nil }
        let words = Array(packet.words)
        entries = stride(from: 0, to: words.count, by: 2).map { Entry(ssrc: words[$0], takers: words[$0 + 1]) }
    }

    /// - Parameter sender: SSRC of the receiving end's RTCP.
    func write(from sender: SSRC, into bytes: inout [UInt8]) {
        let words = entries.flatMap { [$0.ssrc, $0.takers] }
        APP(sender: sender, subtype: Self.subtype, name: PipeFormat.name, words: words).write(into: &bytes)
    }
}
