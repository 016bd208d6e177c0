import MediaBase
import RTP

/// Encodings that the receiving end of a pipe needs and does not need, in an RTCP packet to the sending end. Encodings that no demand has named
/// are sent, so that everything is sent to relays of earlier versions, which demand nothing. Repeated, because it may be lost.
///
///     |                          number                               |
///     |            number of SSRCs that are needed                    |
///     |            SSRCs that are needed, then those that are not ... |
struct PipeDemand: Equatable {
    static let subtype: UInt8 = 1
    /// Maximum number of SSRCs in a packet, so that it fits the MTU.
    static let maximumSources = 256

    let sender: SSRC
    /// Increases with each packet of a pipe, modulo 2^32.
    let number: UInt32
    let wanted: [UInt32]
    let unwanted: [UInt32]

    init(sender: SSRC, number: UInt32, wanted: [UInt32], unwanted: [UInt32]) {
        self.sender = sender
        self.number = number
        self.wanted = wanted
        self.unwanted = unwanted
    }

    /// - Returns: nil if the packet is no demand, or is malformed.
    init?(_ packet: APP) {
        guard packet.name == PipeFormat.name, packet.subtype == Self.subtype, packet.words.count >= 2,
            packet.words.count - 2 <= Self.maximumSources, packet.words[1] <= packet.words.count - 2
        else { return nil }
        let sources = packet.words[2...]
        let count = Int(packet.words[1])
        self.init(
            sender: packet.sender, number: packet.words[0], wanted: Array(sources.prefix(count)),
            unwanted: Array(sources.dropFirst(count)))
    }

    func write(into bytes: inout [UInt8]) {
        let words = [number, UInt32(truncatingIfNeeded: wanted.count)] + wanted + unwanted
        APP(sender: sender, subtype: Self.subtype, name: PipeFormat.name, words: words).write(into: &bytes)
    }
}
