import Conference
import Logging
import MediaEngine
import SessionMedia
import Signaling

/// Subscribers by WHEP and plain SRTP, without a control connection. They are not participants, but `Conference` admits and ends them.
extension LiveSession {
    /// - Parameter lease: counts the subscriber's transport.
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

    /// Registers the transport that the engine opened.
    ///
    /// - Throws: if `Conference` ended the subscriber while the engine was awaited; its transport is then closed.
    func viewing(_ ticket: ViewerTicket, _ transport: TransportID, isPlain: Bool) async throws(SignalingError) {
        guard conference.isViewing(ticket.connection) else {
            await end(transport, isPlain: isPlain)
            throw endedMeanwhile
        }
        viewers[ticket.connection] = BareViewer(transport: transport, isPlain: isPlain)
        transports.insert(transport, owner: ticket.connection, lease: ticket.lease)
    }

    /// Removes a subscriber that the engine refused or that has left.
    func viewerLeft(_ connection: ConnectionID) {
        if let viewer = viewers.removeValue(forKey: connection) { transports.remove(viewer.transport) }
        perform(conference.viewerLeft(connection))
    }

    /// Removes a subscriber after its endpoint has closed the transport.
    func viewerClosed(_ transport: TransportID) {
        guard let connection = transports[transport] else { return }
        viewerLeft(connection)
    }

    /// Closes the transport of a subscriber that `Conference` ended.
    func closeViewer(_ connection: ConnectionID) {
        guard let viewer = viewers.removeValue(forKey: connection) else { return }
        transports.remove(viewer.transport)
        logger.info("viewer ended", metadata: ["transport": "\(viewer.transport)"])
        media.close(PeerID(viewer.transport), isPlain: viewer.isPlain)
    }
}
