package import Signaling

/// Value of the `role` claim: permissions of the token's bearer.
public enum TokenRole: String, Sendable, Codable, CaseIterable {
    /// May subscribe.
    case subscriber
    /// May subscribe and publish.
    case publisher
    /// May subscribe, publish, and mute and remove others.
    case moderator

    /// - Parameter canHost: true if `role_type` is 1.
    package func capabilities(canHost: Bool) -> Capabilities {
        switch self {
        case .subscriber: Capabilities(canPublish: false, canHost: canHost)
        case .publisher: Capabilities(canPublish: true, canHost: canHost)
        case .moderator: Capabilities(canPublish: true, canForceMute: true, canForceDisconnect: true, canHost: canHost)
        }
    }

    /// Role of a token without the claim.
    package static func standard(canHost: Bool) -> TokenRole { canHost ? .moderator : .publisher }
}
