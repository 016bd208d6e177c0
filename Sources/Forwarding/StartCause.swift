/// Reason why a subscriber's track starts at a key frame. It determines the effect on the subscriber's `KeyFrameBudget`.
package enum StartCause: Sendable {
    /// The first start, or one after a switch, a pause or a loss at the relay. Refills the budget.
    case relay
    /// Frames are sent again, maybe at the subscriber's own request. Does not refill the budget.
    case repetition
}
