public import Signaling

/// Event of a session's subsessions, as one user receives it. `Session.subsessions` already contains the change.
public enum SubsessionEvent: Hashable, Sendable {
    /// Subsessions were committed, withdrawn, started or stopped. A failure is reported only to the user who asked, in addition to the
    /// thrown error.
    case changed(SubsessionsChange)
    /// The local user has become a manager of subsessions, or is not one; sent at each first join and at each change.
    case roleChanged(isManager: Bool)
    /// Users moved, within 100 ms or while the local connection was lost. A user who leaves the session from within a subsession is
    /// reported as a move out of it, before its `connectionDestroyed`.
    case usersChanged([SubsessionMove])
    /// A manager has sent a text to all subsessions.
    case broadcast(from: ConnectionID, text: String)
    /// A user asks for help; sent to managers only. Answer with `Subsessions.answerHelp(_:isAccepted:)`.
    case helpRequested(HelpRequested)
    /// A request no longer needs an answer; sent to managers only.
    case helpEnded(HelpRequestID)
    /// Result of a request for help by the local user.
    case helpResult(HelpRequestID, HelpResult)
}
