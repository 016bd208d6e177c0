import Cluster
import Conference
import MediaBase

@testable import ControlServer

extension SessionCore {
    /// Returns the session as another relay continues it from the stored state.
    func stored(
        in context: SessionContext, _ tenure: SessionTenure, now: MediaTime
    ) throws -> RestoredSession {
        let seats = conference.users.compactMap { conference.seat(of: $0.id) }
        let saved = seats.compactMap { seat in clients[seat.connection].map { SavedClient(seat, $0) } }
        let restored = Conference(
            restoring: conference.essence, seats: seats, id: id, app: key.app, name: key.name,
            limits: conference.limits, now: now)
        return RestoredSession(
            conference: restored,
            clients: try saved.map {
                RestoredSession.Client(saved: $0, lease: try context.resources.lease(.participants, for: $0.holder))
            }, stored: StoredSession(), tenure: tenure)
    }
}
