/// What became of a request for help.
public enum HelpResult: String, Hashable, Sendable, Codable, CaseIterable {
    /// A manager was free and comes.
    case idle
    /// No manager was there who was free: all of them are in subsessions, or too many ask already.
    case busy
    /// All who were asked ignored it, or nobody answered within a minute.
    case ignored
    /// A manager is in the same subsession.
    case hostAlreadyInSubsession
}
