package import Signaling

/// The `role` claim: what the bearer of a token may do.
public enum TokenRole: String, Sendable, Codable, CaseIterable {
    /// Subscribes.
    case subscriber
    /// Subscribes and publishes.
    case publisher
    /// Subscribes, publishes, mutes and removes others.
    case moderator

    /// - Parameter canHost: `role_type` is 1.
    package func capabilities(canHost: Bool) -> Capabilities {
        switch self {
        case .subscriber: Capabilities(canPublish: false, canHost: canHost)
        case .publisher: Capabilities(canPublish: true, canHost: canHost)
        case .moderator: Capabilities(canPublish: true, canForceMute: true, canForceDisconnect: true, canHost: canHost)
        }
    }

    /// What a token without the claim means.
    package static func standard(canHost: Bool) -> TokenRole { canHost ? .moderator : .publisher }
}
