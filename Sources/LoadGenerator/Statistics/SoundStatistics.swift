/// What decoded sound tells of one listener, or of several merged.
package struct SoundStatistics: Sendable {
    /// Opus packets decoded.
    package var decoded: UInt64 = 0
    /// Packets that never came and were concealed.
    package var concealed: UInt64 = 0
    package var decodeErrors: UInt64 = 0
    /// Blocks that were held against the publisher's tone.
    package var checked: UInt64 = 0
    /// Of these, blocks that were something else.
    package var wrongTone: UInt64 = 0

    package init() {}

    package mutating func merge(_ other: SoundStatistics) {
        decoded += other.decoded
        concealed += other.concealed
        decodeErrors += other.decodeErrors
        checked += other.checked
        wrongTone += other.wrongTone
    }
}
