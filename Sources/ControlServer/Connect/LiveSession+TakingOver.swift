import Conference
import Logging
import MediaBase
import MediaEngine
import SessionMedia
import Signaling

/// Publishers without a control connection that publish again under the name of their stream.
extension LiveSession {
    /// Ends the transport of the stream's publisher and lets the visitor publish in its place. Subscribers of the stream stay
    /// subscribed: the engine gives their tracks the new publication's media.
    func takeOver(
        _ stream: StreamID, _ visitor: Visitor, kinds: Set<MediaKind>, isPlain: Bool
    ) -> Result<PublisherTicket, SignalingError> {
        // A publisher that is still being admitted cannot be replaced.
        guard let before = publishers[stream], before.isOpen, before.isPlain == isPlain else {
            return .failure(
                SignalingError(.streamExists, "the session has a stream \"\(stream)\" already", field: "stream"))
        }
        do throws(SignalingError) {
            let leases = try leases(for: visitor.holder, after: before)
            let admission = visitor.admission(as: stream.rawValue, isPublisher: true)
            let effects = try environment.passwords.attempt(
                visitor.password, from: visitor.address, token: admission.token, at: key
            ) {
                conference.takeOver(before.connection, by: admission)
            }.get()
            perform(effects)
            publishers[stream] = nil
            transports.remove(before.transport)
            // The engine ends the old publication before it handles the new one of this name.
            media.close(PeerID(before.transport), isPlain: before.isPlain)
            continueMedia()
            let wanted = PublishRequest.Stream(
                id: stream, name: conference.stream(stream)?.name ?? stream.rawValue,
                audioMid: kinds.contains(.audio) ? "audio" : nil, videoMid: kinds.contains(.video) ? "video" : nil)
            switch conference.preparePublish([wanted], from: before.connection, newIDs: []) {
            case .failure(let error):
                report(.publisherLeft(before.connection, .left))
                throw error
            case .success(let plan):
                media.own(stream, by: before.connection, kinds: kinds)
                logger.info(
                    "publisher taken over",
                    metadata: [
                        "stream": "\(stream)", "connection": "\(before.connection)", "old": "\(before.transport)",
                    ])
                return .success(
                    PublisherTicket(
                        liveSession: self, connection: before.connection, plan: plan, isPlain: isPlain, leases: leases))
            }
        } catch {
            return .failure(error)
        }
    }

    /// Returns the old publisher's leases if the holder is the same, so that it can publish again even at its limit.
    private func leases(
        for holder: ResourceHolder, after before: BarePublisher
    ) throws(SignalingError) -> PublisherLeases {
        guard before.lease.holder == holder, let transport = transports.lease(of: before.transport) else {
            return try leasePublisher(holder)
        }
        return PublisherLeases(participant: before.lease, transport: transport)
    }

    /// Leases a participant and a transport for a publisher.
    func leasePublisher(_ holder: ResourceHolder) throws(SignalingError) -> PublisherLeases {
        PublisherLeases(
            participant: try environment.resources.lease(.participants, for: holder),
            transport: try environment.resources.lease(.transports, for: holder))
    }
}
