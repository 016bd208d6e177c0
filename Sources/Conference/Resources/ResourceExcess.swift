package import Signaling

/// Error of an owner that has reached its limit of a resource.
package struct ResourceExcess: Error, Hashable, Sendable {
    package let kind: ResourceKind
    package let owner: ResourceOwner.Kind
    package let limit: Int

    /// Configuration key of the limit, such as `limit.transportsPerToken`.
    package var key: String { ResourceLimits.key(of: kind, per: owner) }

    /// The answer for the client.
    package var error: SignalingError {
        SignalingError(.limitReached, "\(key) of \(limit) is reached", limit: key)
    }
}

extension ResourceLimits {
    /// Configuration key of one limit.
    package static func key(of kind: ResourceKind, per owner: ResourceOwner.Kind) -> String {
        let suffix =
            switch owner {
            case .user: "PerUser"
            case .token: "PerToken"
            case .address: "PerAddress"
            }
        return "limit." + kind.rawValue + suffix
    }
}
