package import MediaBase
package import SDP

/// Calls about participants' peer connections, as in `MediaEngine`.
extension VirtualWorker {
    package func openPublisher(_ request: PublisherRequest) throws(EngineError) -> WebRTCAnswer {
        try worker.openPublisher(request, worker.prepareForControl())
    }

    package func updatePublisher(
        _ id: TransportID, session: String, peer: PeerDescription, sections: [PublishedSection]
    ) throws(EngineError) -> WebRTCAnswer {
        try worker.updatePublisher(
            id, session: session, peer: peer, sections: sections, worker.prepareForControl())
    }

    package func closeStream(session: String, stream: String) throws(EngineError) {
        try worker.closeStream(session: session, stream: stream, worker.prepareForControl())
    }

    package func openSubscriber(session: String, isNative: Bool = false) throws(EngineError) -> SubscriberOffer {
        try worker.openSubscriber(session: session, isNative: isNative)
    }

    package func connectSubscriber(_ id: TransportID, session: String, peer: PeerDescription)
        throws(EngineError)
    {
        try worker.connectSubscriber(id, session: session, peer: peer, worker.prepareForControl())
    }

    package func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack])
        throws(EngineError)
    {
        try worker.addTracks(id, session: session, tracks, worker.prepareForControl())
    }

    package func removeTracks(_ id: TransportID, session: String, mids: [MID]) throws(EngineError) {
        try worker.removeTracks(id, session: session, mids: mids, worker.prepareForControl())
    }

    package func setPreferences(
        _ id: TransportID, session: String, stream: String, _ preferences: StreamPreferences
    ) throws(EngineError) {
        try worker.setPreferences(id, session: session, stream: stream, preferences, worker.prepareForControl())
    }

    package func place(_ placements: [RoomPlacement], session: String) {
        worker.place(placements, session: session, worker.prepareForControl())
    }

    package func prepareRestart(_ id: TransportID, session: String) throws(EngineError) -> ICECredentials {
        _ = worker.prepareForControl()
        return try worker.prepareRestart(id, session: session)
    }

    package func peerTrace(_ id: TransportID, session: String) throws(EngineError) -> PeerTrace {
        try worker.trace(of: id, session: session, worker.prepareForControl())
    }

    package func peerStatistics(_ id: TransportID, session: String) throws(EngineError) -> PeerStatistics {
        try worker.statistics(of: id, session: session, worker.prepareForControl())
    }
}
