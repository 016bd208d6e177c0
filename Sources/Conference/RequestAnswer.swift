package import Signaling

/// What a request that was granted is answered with.
package enum RequestAnswer: Hashable, Sendable {
    case done
    case users(UsersPage)
    case subsessions(SubsessionsState)
    case committed(CommitSubsessionsRequest.Answer)
    case help(RequestHelpRequest.Answer)
    case chat(ChatRequest.Answer)
}
