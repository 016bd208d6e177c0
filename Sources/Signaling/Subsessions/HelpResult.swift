/// Result of a help request.
public enum HelpResult: String, Hashable, Sendable, Codable, CaseIterable {
    /// A manager was available and joins the subsession.
    case idle
    /// No manager was available: all are in subsessions, or too many requests are open.
    case busy
    /// All managers ignored the request, or none answered within a minute.
    case ignored
    /// A manager is already in the same subsession.
    case hostAlreadyInSubsession
}
