import Cluster
import Conference
import Signaling

/// Work that `LiveSession` carries out for its `SessionCore`, in order.
enum SessionOutput {
    /// Call to the media engine of a relay, whose result comes back by `answered`. A call to another relay opens the link to it if there is
    /// none.
    case call(MediaCallID, MediaRelay, MediaCall)
    /// Ends the link to a relay in order.
    case endLink(RelayIdentity)
    /// Ends the media that a lost relay may keep because it takes this one for dead.
    case dismiss(RelayIdentity)
    case push(PushCommand)
    case hook(WebhookEvent)
    /// Saves changes; the result comes back by `saved`.
    case save(SessionChanges, SessionTenure)
    /// Keeps a report; the result comes back by `kept`.
    case keepIssue(OpenIssues.ID, IssueHead, bundle: [UInt8])
    /// The connection with this resume key is over.
    case left(resumeKey: String)
    /// The session is over.
    /// - isElsewhere: another relay runs it or will; otherwise its name is free.
    case ended(isElsewhere: Bool)
}
