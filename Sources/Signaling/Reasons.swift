/// Reason for the end of a connection.
public enum DisconnectReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The client left.
    case left
    /// A host or moderator removed the user.
    case removed
    /// The host or an administrator ended the session.
    case sessionEnded
    /// The client did not resume within the grace time.
    case networkLost
    /// The client read its messages too slowly.
    case slowConsumer
    /// The client broke the protocol or its limits.
    case protocolViolation
    /// The relay is shutting down.
    case relayShutdown
    /// The token expired.
    case tokenExpired
}

/// Reason for the end of a stream.
public enum StreamEndReason: String, Hashable, Sendable, Codable, CaseIterable {
    case clientLeft
    case unpublished
    /// Ended by a moderator or by the share lock.
    case forced
    case networkLost
    /// The relay or its media path was restarted.
    case reset
}

/// Reason that a subscriber's video stopped or continued.
public enum VideoChangeReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The subscriber's path is too narrow for the video, or is wide enough again.
    case quality
    /// The publisher muted or unmuted it.
    case publisher
    /// The subscriber's preferences exclude or include it.
    case subscriber
    /// The subscriber takes no packets of the stream's video codec. The audio is not affected.
    case unsupportedCodec
}
