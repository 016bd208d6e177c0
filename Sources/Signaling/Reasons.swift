/// Why a connection is over.
public enum DisconnectReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The client left.
    case left
    /// A host or moderator removed it.
    case removed
    /// The host or an administrator ended the session.
    case sessionEnded
    /// It did not come back within the grace time.
    case networkLost
    /// It did not read its messages fast enough.
    case slowConsumer
    /// It broke the protocol or its limits.
    case protocolViolation
    /// The relay shuts down.
    case relayShutdown
    /// The token ended.
    case tokenExpired
}

/// Why a stream is over.
public enum StreamEndReason: String, Hashable, Sendable, Codable, CaseIterable {
    case clientLeft
    case unpublished
    /// By a moderator or by the share lock.
    case forced
    case networkLost
    /// The relay or its media path began anew.
    case reset
}

/// Why a subscriber's video stopped or goes on.
public enum VideoChangeReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The subscriber's path does not carry it.
    case quality
    /// The publisher stopped or started it.
    case publisher
    /// The subscriber asked for it.
    case subscriber
}
