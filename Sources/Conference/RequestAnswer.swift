package import Signaling

/// Answer to a request that succeeded.
package enum RequestAnswer: Hashable, Sendable {
    case done
    case users(UsersPage)
    case subsessions(SubsessionsState)
    case committed(CommitSubsessionsRequest.Answer)
    case help(RequestHelpRequest.Answer)
    case chat(ChatRequest.Answer)
}
