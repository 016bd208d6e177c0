package import MediaBase
package import SDP

/// The two peer connections of a participant: one on which it publishes all its streams, and one that the relay offers and that carries
/// everything the participant subscribes to.
extension MediaEngine {
    /// Answers a participant's offer of a publish peer connection. It has `connectTimeout` to connect; its streams exist from then on.
    package func openPublisher(_ request: PublisherRequest) async throws(EngineError) -> WebRTCAnswer {
        try await run(.opening(session: request.session)) { (worker, quiesced) throws(EngineError) in
            try worker.openPublisher(request, quiesced)
        }
    }

    /// Handles another offer of a publish peer. `sections` are all sections that it has now: streams and tracks that are missing end, new
    /// ones begin. New credentials of the peer restart ICE.
    /// - Returns: the answer, with the credentials in force.
    package func updatePublisher(
        _ id: TransportID, session: String, peer: PeerDescription, sections: [PublishedSection]
    ) async throws(EngineError) -> WebRTCAnswer {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.updatePublisher(id, session: session, peer: peer, sections: sections, quiesced)
        }
    }

    /// Ends one stream and keeps its publisher's connection. Packets of the stream that still arrive are dropped.
    package func closeStream(session: String, stream: String) async throws(EngineError) {
        try await run(.home(session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.closeStream(session: session, stream: stream, quiesced)
        }
    }

    /// Opens a subscribe peer connection and returns the relay's part of the offers to the participant (`SubscribeNegotiation`). The
    /// connection waits for an answer until it is closed.
    /// - Parameter isNative: offers and answers carry keys instead of a DTLS handshake. The signalling must be confidential.
    package func openSubscriber(session: String, isNative: Bool = false) async throws(EngineError) -> SubscriberOffer {
        try await run(.subscriber(session: session, opens: true)) { (worker, quiesced) throws(EngineError) in
            try worker.openSubscriber(session: session, isNative: isNative)
        }
    }

    /// Takes the participant's answer to the first offer. The participant has `connectTimeout` to connect.
    package func connectSubscriber(_ id: TransportID, session: String, peer: PeerDescription)
        async throws(EngineError)
    {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.connectSubscriber(id, session: session, peer: peer, quiesced)
        }
    }

    /// Adds tracks to a subscriber that has answered. Their streams may be published later.
    package func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack])
        async throws(EngineError)
    {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.addTracks(id, session: session, tracks, quiesced)
        }
    }

    /// Stops sending on these media sections. Unknown sections are ignored.
    package func removeTracks(_ id: TransportID, session: String, mids: [MID]) async throws(EngineError) {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.removeTracks(id, session: session, mids: mids, quiesced)
        }
    }

    /// Sets a subscriber's preferences for a stream, whose tracks may be added later. No renegotiation follows.
    package func setPreferences(
        _ id: TransportID, session: String, stream: String, _ preferences: StreamPreferences
    ) async throws(EngineError) {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.setPreferences(id, session: session, stream: stream, preferences, quiesced)
        }
    }

    /// Returns the relay's new credentials for an ICE restart that the relay offers. `restartICE`
    /// with the credentials of the answer completes it.
    package func prepareRestart(_ id: TransportID, session: String) async throws(EngineError) -> ICECredentials {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.prepareRestart(id, session: session)
        }
    }

    /// Returns packet headers and decisions of one peer from the last 30 seconds.
    package func peerTrace(_ id: TransportID, session: String) async throws(EngineError) -> PeerTrace {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.trace(of: id, session: session, quiesced)
        }
    }

    /// Returns the quality of one peer over the last minutes (`EngineLimits.qualityPoints`).
    package func peerQuality(_ id: TransportID, session: String) async throws(EngineError) -> PeerQuality {
        try await run(.transport(id, session: session)) { (worker, _) throws(EngineError) in
            try worker.quality(of: id, session: session)
        }
    }

    /// Returns statistics of one peer, connected or not.
    package func peerStatistics(_ id: TransportID, session: String) async throws(EngineError) -> PeerStatistics {
        try await run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.statistics(of: id, session: session, quiesced)
        }
    }
}
