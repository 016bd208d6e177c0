import Cluster
import Conference
import MediaBase
import Signaling

/// Session of a lost home relay, as this relay continues it.
struct RestoredSession {
    struct Client {
        var saved: SavedClient
        var lease: ResourceLease

        var id: ConnectionID { saved.seat.connection }
    }

    let conference: Conference
    let clients: [Client]
    let stored: StoredSession
    let tenure: SessionTenure
}
