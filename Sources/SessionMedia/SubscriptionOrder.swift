import Signaling

/// Queued change of a client's subscription to one stream, for the media engine.
enum SubscriptionOrder: Equatable, Sendable {
    case begin(SubscriptionPreferences)
    case change(SubscriptionPreferences)
    case end
    /// Ends the old subscription and begins a new one.
    case renew(SubscriptionPreferences)

    /// Merges two changes that the engine has not received; nil: they cancel each other out.
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
