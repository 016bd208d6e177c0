package import MediaBase
package import SDP

/// Calls about participants' peer connections, as in `MediaEngine`.
extension VirtualWorker {
    package func openPublisher(_ request: PublisherRequest) throws(EngineError) -> WebRTCAnswer {
        worker.prepareForControl()
        return try worker.openPublisher(request)
    }

    package func updatePublisher(
        _ id: TransportID, session: String, peer: PeerDescription, sections: [PublishedSection]
    ) throws(EngineError) -> WebRTCAnswer {
        worker.prepareForControl()
        return try worker.updatePublisher(id, session: session, peer: peer, sections: sections)
    }

    package func closeStream(session: String, stream: String) throws(EngineError) {
        worker.prepareForControl()
        return try worker.closeStream(session: session, stream: stream)
    }

    package func openSubscriber(session: String, isNative: Bool = false) throws(EngineError) -> SubscriberOffer {
        worker.prepareForControl()
        return try worker.openSubscriber(session: session, isNative: isNative)
    }

    package func connectSubscriber(_ id: TransportID, session: String, peer: PeerDescription)
        throws(EngineError)
    {
        worker.prepareForControl()
        return try worker.connectSubscriber(id, session: session, peer: peer)
    }

    package func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack])
        throws(EngineError)
    {
        worker.prepareForControl()
        return try worker.addTracks(id, session: session, tracks)
    }

    package func removeTracks(_ id: TransportID, session: String, mids: [MID]) throws(EngineError) {
        worker.prepareForControl()
        return try worker.removeTracks(id, session: session, mids: mids)
    }

    package func setPreferences(
        _ id: TransportID, session: String, stream: String, _ preferences: StreamPreferences
    ) throws(EngineError) {
        worker.prepareForControl()
        return try worker.setPreferences(id, session: session, stream: stream, preferences)
    }

    package func place(_ placements: [RoomPlacement], session: String) {
        worker.prepareForControl()
        worker.place(placements, session: session)
    }

    package func prepareRestart(_ id: TransportID, session: String) throws(EngineError) -> ICECredentials {
        worker.prepareForControl()
        return try worker.prepareRestart(id, session: session)
    }

    package func peerTrace(_ id: TransportID, session: String) throws(EngineError) -> PeerTrace {
        worker.prepareForControl()
        return try worker.trace(of: id, session: session)
    }

    package func peerStatistics(_ id: TransportID, session: String) throws(EngineError) -> PeerStatistics {
        worker.prepareForControl()
        return try worker.statistics(of: id, session: session)
    }
}
