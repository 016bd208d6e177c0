package import MediaBase
package import SDP

/// A participant's two peer connections: one on which it publishes all of its streams, and one that the relay offers, by which it gets all
/// that it subscribes to.
extension MediaEngine {
    /// Answers a participant's offer of a publish peer connection. It has `connectTimeout` to connect; its streams are there from then on.
    package func openPublisher(_ request: PublisherRequest) async throws(EngineError) -> WebRTCAnswer {
        try await run(request.session) { (worker) throws(EngineError) in
            try worker.openPublisher(request)
        }
    }

    /// Another offer of a publish peer: `sections` are all that it has now. Streams and tracks that are not among them end, new ones begin, and
    /// where the peer's credentials are new ICE starts again.
    /// - Returns: what to answer; its credentials are those in force.
    package func updatePublisher(
        _ id: TransportID, session: String, peer: PeerDescription, sections: [PublishedSection]
    ) async throws(EngineError) -> WebRTCAnswer {
        try await run(session) { (worker) throws(EngineError) in
            try worker.updatePublisher(id, session: session, peer: peer, sections: sections)
        }
    }

    /// Ends one stream and leaves its publisher's connection as it is: what still comes of the stream is dropped.
    package func closeStream(session: String, stream: String) async throws(EngineError) {
        try await run(session) { (worker) throws(EngineError) in
            try worker.closeStream(session: session, stream: stream)
        }
    }

    /// Begins a subscribe peer connection: what the relay's offers to a participant are made from (`SubscribeNegotiation`). It waits for its
    /// answer until it is closed.
    /// - Parameter isNative: with keys in the offers and answers instead of DTLS, for a signalling that nobody else reads.
    package func openSubscriber(session: String, isNative: Bool = false) async throws(EngineError) -> SubscriberOffer {
        try await run(session) { (worker) throws(EngineError) in
            try worker.openSubscriber(session: session, isNative: isNative)
        }
    }

    /// The participant has answered the first offer; it has `connectTimeout` to connect.
    package func connectSubscriber(_ id: TransportID, session: String, peer: PeerDescription)
        async throws(EngineError)
    {
        try await run(session) { (worker) throws(EngineError) in
            try worker.connectSubscriber(id, session: session, peer: peer)
        }
    }

    /// Sends more tracks to a subscriber that has answered. A stream may be published later than it is subscribed to.
    package func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack])
        async throws(EngineError)
    {
        try await run(session) { (worker) throws(EngineError) in
            try worker.addTracks(id, session: session, tracks)
        }
    }

    /// Sends nothing more by these media sections; those that it does not have are passed over.
    package func removeTracks(_ id: TransportID, session: String, mids: [MID]) async throws(EngineError) {
        try await run(session) { (worker) throws(EngineError) in
            try worker.removeTracks(id, session: session, mids: mids)
        }
    }

    /// What a subscriber would like of a stream, whose tracks may be added later. Nothing is renegotiated.
    package func setPreferences(
        _ id: TransportID, session: String, stream: String, _ preferences: StreamPreferences
    ) async throws(EngineError) {
        try await run(session) { (worker) throws(EngineError) in
            try worker.setPreferences(id, session: session, stream: stream, preferences)
        }
    }

    /// The relay's new credentials for an ICE restart that it offers itself; `restartICE` with the answer's makes it.
    package func prepareRestart(_ id: TransportID, session: String) async throws(EngineError) -> ICECredentials {
        try await run(session) { (worker) throws(EngineError) in
            try worker.prepareRestart(id, session: session)
        }
    }

    /// The last 30 seconds of one peer: headers of packets, and decisions.
    package func peerTrace(_ id: TransportID, session: String) async throws(EngineError) -> PeerTrace {
        try await run(session) { (worker) throws(EngineError) in
            try worker.trace(of: id, session: session)
        }
    }

    /// Numbers of one peer, connected or not.
    package func peerStatistics(_ id: TransportID, session: String) async throws(EngineError) -> PeerStatistics {
        try await run(session) { (worker) throws(EngineError) in
            try worker.statistics(of: id, session: session)
        }
    }
}
