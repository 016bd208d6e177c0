import Forwarding
import MediaBase
import RTP

/// Rates of encodings that the sending end of a pipe does not send, or has begun to send again, in an RTCP packet to the receiving end. For
/// each encoding:
///
///     |                            SSRC                               |
///     |  0                            | withheld  | held back | active|
///     |            width              |           height              |
///     |            bits per second up to each temporal layer          |   4 words
///     |   frames in 100 s, layer 0    |           layer 1             |
///     |           layer 2             |           layer 3             |
struct PipeRates: Equatable {
    struct Entry: Equatable {
        let ssrc: SSRC
        let rates: AnnouncedRates
    }

    static let subtype: UInt8 = 2
    /// Maximum number of encodings in a packet, so that it fits the MTU.
    static let maximumEntries = 32
    private static let entryWords = 9
    private static let active: UInt32 = 1
    private static let heldBack: UInt32 = 2
    private static let withheld: UInt32 = 4

    let entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    /// - Returns: nil if the packet has no rates, or is malformed.
    init?(_ packet: APP) {
        guard packet.name == PipeFormat.name, packet.subtype == Self.subtype,
            packet.words.count <= Self.maximumEntries * Self.entryWords,
            packet.words.count.isMultiple(of: Self.entryWords)
        else { return nil }
        entries = stride(from: 0, to: packet.words.count, by: Self.entryWords).map { start in
            let words = Array(packet.words[start..<start + Self.entryWords])
            let rates = AnnouncedRates(
                isActive: words[1] & Self.active != 0, isHeldBack: words[1] & Self.heldBack != 0,
                isWithheld: words[1] & Self.withheld != 0,
                width: Self.high(words[2]), height: Self.low(words[2]),
                bitrates: SIMD4(words[3], words[4], words[5], words[6]),
                frameRates: SIMD4(
                    Self.high(words[7]), Self.low(words[7]), Self.high(words[8]), Self.low(words[8])))
            return Entry(ssrc: SSRC(words[0]), rates: rates)
        }
    }

    /// - Parameter sender: SSRC of one of the pipe's tracks, by which the receiving end finds the pipe.
    func write(from sender: SSRC, into bytes: inout [UInt8]) {
        let words = entries.flatMap { entry -> [UInt32] in
            let rates = entry.rates
            let flags =
                (rates.isActive ? Self.active : 0) | (rates.isHeldBack ? Self.heldBack : 0)
                | (rates.isWithheld ? Self.withheld : 0)
            return [
                entry.ssrc.rawValue, flags, Self.word(rates.width, rates.height), rates.bitrates[0],
                rates.bitrates[1], rates.bitrates[2], rates.bitrates[3],
                Self.word(rates.frameRates[0], rates.frameRates[1]),
                Self.word(rates.frameRates[2], rates.frameRates[3]),
            ]
        }
        APP(sender: sender, subtype: Self.subtype, name: PipeFormat.name, words: words).write(into: &bytes)
    }

    private static func high(_ word: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: word >> 16) }

    private static func low(_ word: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: word) }

    private static func word(_ high: UInt16, _ low: UInt16) -> UInt32 { UInt32(high) << 16 | UInt32(low) }
}
