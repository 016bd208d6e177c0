public import Signaling

/// What happens to the subsessions of a session, as one user sees it. `Session.subsessions` holds the change already.
public enum SubsessionEvent: Hashable, Sendable {
    /// They were committed, withdrawn, started or stopped. Failures are told to who asked, besides the error that is thrown.
    case changed(SubsessionsChange)
    /// One is a manager of subsessions from now on, or is not; told at each first join, and whenever it changes.
    case roleChanged(isManager: Bool)
    /// Who moved within a tenth of a second, or while one's own connection was lost. Who leaves the session from within a subsession is told
    /// as a move out of it, before its `connectionDestroyed`.
    case usersChanged([SubsessionMove])
    /// A manager tells all subsessions.
    case broadcast(from: ConnectionID, text: String)
    /// For managers: somebody asks for help. `Subsessions.answerHelp(_:isAccepted:)` answers.
    case helpRequested(HelpRequested)
    /// For managers: it needs no answer any more.
    case helpEnded(HelpRequestID)
    /// What became of one's own request.
    case helpResult(HelpRequestID, HelpResult)
}
