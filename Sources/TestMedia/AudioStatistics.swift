/// Statistics of decoded audio, of one subscriber or of several merged.
package struct AudioStatistics: Codable, Sendable {
    /// Opus packets decoded.
    package var decoded: UInt64 = 0
    /// Packets that never arrived and were concealed.
    package var concealed: UInt64 = 0
    package var decodeErrors: UInt64 = 0
    /// Packets that could not be decrypted, in a run with end-to-end encryption. They are not decoded.
    package var undecryptable: UInt64 = 0
    /// Blocks that were compared with the publisher's tone.
    package var checked: UInt64 = 0
    /// Compared blocks that did not contain the tone.
    package var wrongTone: UInt64 = 0

    package init() {}

    package mutating func merge(_ other: AudioStatistics) {
        decoded += other.decoded
        concealed += other.concealed
        decodeErrors += other.decodeErrors
        undecryptable += other.undecryptable
        checked += other.checked
        wrongTone += other.wrongTone
    }
}
