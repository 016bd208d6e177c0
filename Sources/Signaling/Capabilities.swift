/// Permissions of a connection, from its token. The relay checks every request against them.
public struct Capabilities: Hashable, Sendable, Codable {
    public var canPublish: Bool
    public var canSubscribe: Bool
    public var canForceMute: Bool
    public var canForceDisconnect: Bool
    /// Permission to become host or manager.
    public var canHost: Bool

    public init(
        canPublish: Bool, canSubscribe: Bool = true, canForceMute: Bool = false, canForceDisconnect: Bool = false,
        canHost: Bool = false
    ) {
        self.canPublish = canPublish
        self.canSubscribe = canSubscribe
        self.canForceMute = canForceMute
        self.canForceDisconnect = canForceDisconnect
        self.canHost = canHost
    }
}
