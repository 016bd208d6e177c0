import Conference
import Logging
import MediaEngine
import Signaling

/// WHEP and plain SRTP: those who watch without signalling. They are no users, but the session's rules let them in, and end them.
extension LiveSession {
    /// - Parameter lease: counts its transport.
    func admitViewer(_ visitor: Visitor, lease: ResourceLease) -> Result<ViewerTicket, SignalingError> {
        guard !isForgotten else { return .failure(SignalingError(.sessionEnded)) }
        let admission = visitor.admission(as: "", isPublisher: false)
        return environment.passwords.attempt(
            visitor.password, from: visitor.address, token: admission.token, at: key
        ) {
            conference.admitViewer(admission).map {
                ViewerTicket(liveSession: self, connection: admission.connection, lease: lease)
            }
        }
    }

    /// The engine has its transport.
    ///
    /// - Throws: where the rules have ended it meanwhile; its transport is closed then.
    func viewing(_ ticket: ViewerTicket, _ transport: TransportID, isPlain: Bool) async throws(SignalingError) {
        let isOver = await inOrder { () -> Bool in
            guard conference.isViewing(ticket.connection) else {
                try? await close(transport, isPlain: isPlain).finish()
                return true
            }
            viewers[ticket.connection] = BareViewer(transport: transport, isPlain: isPlain)
            transports.insert(transport, owner: ticket.connection, lease: ticket.lease)
            return false
        }
        if isOver { throw endedMeanwhile }
    }

    /// The engine has refused it, or it went.
    func viewerLeft(_ connection: ConnectionID) {
        if let viewer = viewers.removeValue(forKey: connection) { transports.remove(viewer.transport) }
        perform(conference.viewerLeft(connection))
    }

    /// Its own door has closed it.
    func viewerClosed(_ transport: TransportID) {
        guard let connection = transports[transport] else { return }
        viewerLeft(connection)
    }

    /// The rules end it.
    func closeViewer(_ connection: ConnectionID) -> [EngineCall] {
        guard let viewer = viewers.removeValue(forKey: connection) else { return [] }
        transports.remove(viewer.transport)
        logger.info("viewer ended", metadata: ["transport": "\(viewer.transport)"])
        return [close(viewer.transport, isPlain: viewer.isPlain)]
    }
}
