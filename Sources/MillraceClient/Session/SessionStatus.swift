/// State of a session's connection.
public enum SessionStatus: String, Hashable, Sendable, CaseIterable {
    /// Never connected, or disconnected.
    case notConnected
    case connecting
    case connected
    /// The connection was lost; the client is reconnecting by itself.
    case reconnecting
    /// The client is leaving, or ending the session for all users; `connected` follows if the relay refuses
    /// to end it.
    case disconnecting
    /// The connection ended because of an error; `connect` starts again.
    case failed
}
