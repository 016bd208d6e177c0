/// Why a subscriber's track begins at a key frame, which decides what its `KeyFrameBudget` makes of it.
package enum StartCause: Sendable {
    /// The first start, or one after a switch, a pause or a loss at the relay: it fills the budget.
    case relay
    /// Frames are sent once more, maybe at the subscriber's own request: no reason to serve more of its requests.
    case repetition
}
