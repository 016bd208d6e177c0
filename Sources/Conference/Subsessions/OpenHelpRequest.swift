import MediaBase
import Signaling

/// A request for help that has no result yet (SUB-5).
struct OpenHelpRequest: Sendable {
    let id: HelpRequestID
    let user: ConnectionID
    let subsession: SubsessionID
    /// Then it counts as ignored.
    let ends: MediaTime
    /// Managers who were told of it and have not answered, in that order.
    var asked: [ConnectionID] = []
    /// Those who have ignored it: they are not asked again.
    var ignoredBy: Set<ConnectionID> = []
}
