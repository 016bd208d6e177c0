package import MediaBase
package import SDP

/// Calls about participants' peer connections, as in `MediaEngine`.
extension VirtualEngine {
    package func openPublisher(_ request: PublisherRequest) throws(EngineError) -> WebRTCAnswer {
        try run(.opening(session: request.session)) { (worker, quiesced) throws(EngineError) in
            try worker.openPublisher(request, quiesced)
        }
    }

    package func updatePublisher(
        _ id: TransportID, session: String, peer: PeerDescription, sections: [PublishedSection]
    ) throws(EngineError) -> WebRTCAnswer {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.updatePublisher(id, session: session, peer: peer, sections: sections, quiesced)
        }
    }

    package func closeStream(session: String, stream: String) throws(EngineError) {
        try run(.home(session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.closeStream(session: session, stream: stream, quiesced)
        }
    }

    package func openSubscriber(session: String, isNative: Bool = false) throws(EngineError) -> SubscriberOffer {
        try run(.subscriber(session: session, opens: true)) { (worker, quiesced) throws(EngineError) in
            try worker.openSubscriber(session: session, isNative: isNative)
        }
    }

    package func connectSubscriber(_ id: TransportID, session: String, peer: PeerDescription)
        throws(EngineError)
    {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.connectSubscriber(id, session: session, peer: peer, quiesced)
        }
    }

    package func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack])
        throws(EngineError)
    {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.addTracks(id, session: session, tracks, quiesced)
        }
    }

    package func removeTracks(_ id: TransportID, session: String, mids: [MID]) throws(EngineError) {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.removeTracks(id, session: session, mids: mids, quiesced)
        }
    }

    package func setPreferences(
        _ id: TransportID, session: String, stream: String, _ preferences: StreamPreferences
    ) throws(EngineError) {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.setPreferences(id, session: session, stream: stream, preferences, quiesced)
        }
    }

    package func move(_ moves: [PeerMove], session: String) throws(EngineError) {
        try run(.home(session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            worker.move(moves, session: session, quiesced)
        }
    }

    package func prepareRestart(_ id: TransportID, session: String) throws(EngineError) -> ICECredentials {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.prepareRestart(id, session: session)
        }
    }

    package func peerTrace(_ id: TransportID, session: String) throws(EngineError) -> PeerTrace {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.trace(of: id, session: session, quiesced)
        }
    }

    package func peerStatistics(_ id: TransportID, session: String) throws(EngineError) -> PeerStatistics {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.statistics(of: id, session: session, quiesced)
        }
    }

    package func peerQuality(_ id: TransportID, session: String) throws(EngineError) -> PeerQuality {
        try run(.transport(id, session: session)) { (worker, _) throws(EngineError) in
            try worker.quality(of: id, session: session)
        }
    }
}
