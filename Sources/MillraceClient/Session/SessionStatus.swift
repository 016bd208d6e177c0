/// Where a session's connection stands (CON-1).
public enum SessionStatus: String, Hashable, Sendable, CaseIterable {
    /// Not yet, or not any more.
    case notConnected
    case connecting
    case connected
    /// Lost, and on its way back by itself.
    case reconnecting
    case disconnecting
    /// Over because of an error; `connect` begins anew.
    case failed
}
