/// Where a session's connection stands.
public enum SessionStatus: String, Hashable, Sendable, CaseIterable {
    /// Not yet, or not any more.
    case notConnected
    case connecting
    case connected
    /// Lost, and on its way back by itself.
    case reconnecting
    /// Leaving, or ending the session for all; `connected` follows if the relay refuses the end.
    case disconnecting
    /// Over because of an error; `connect` begins anew.
    case failed
}
