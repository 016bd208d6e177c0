import Signaling

/// What a client's subscription to one stream is still to become at the media engine.
enum SubscriptionOrder: Equatable, Sendable {
    case begin(SubscriptionPreferences)
    case change(SubscriptionPreferences)
    case end
    /// The earlier one ends, and another begins.
    case renew(SubscriptionPreferences)

    /// What two orders come to of which the engine has heard neither; nil: nothing.
    func followed(by next: SubscriptionOrder) -> SubscriptionOrder? {
        switch (self, next) {
        case (.begin, .change(let preferences)), (.begin, .begin(let preferences)), (.begin, .renew(let preferences)):
            .begin(preferences)
        case (.begin, .end): nil
        case (.change, .begin(let preferences)), (.change, .change(let preferences)): .change(preferences)
        case (.renew, .begin(let preferences)), (.renew, .change(let preferences)), (.end, .begin(let preferences)):
            .renew(preferences)
        case (_, .renew): next
        case (_, .end), (.end, .change): .end
        }
    }
}
