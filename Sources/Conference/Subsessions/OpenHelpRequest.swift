import MediaBase
import Signaling

/// A request for help that has no result yet (SUB-5).
struct OpenHelpRequest: Sendable {
    let id: HelpRequestID
    let user: ConnectionID
    let subsession: SubsessionID
    /// Time when the request counts as ignored.
    let ends: MediaTime
    /// Managers who were asked and have not answered, in order of asking.
    var asked: [ConnectionID] = []
    /// Managers who ignored the request and are not asked again.
    var ignoredBy: Set<ConnectionID> = []
}
