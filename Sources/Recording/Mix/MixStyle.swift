/// Arrangement of the participants in a mixed video.
package enum MixStyle: String, Sendable, CaseIterable {
    /// All participants at the same size.
    case grid
    /// The participant who speaks large, the others small beside it.
    case speaker
}
