import MediaEngine
import SDP
import SessionMedia

/// Media of WHIP and WHEP clients at all relays of a cluster. Calls about a peer go to the relay that has it; peers of sessions that other relays
/// run are theirs. `LiveSession` opens peers at other relays.
struct ClusterWebRTCPlane: WebRTCMediaPlane {
    /// Media of this relay.
    let engine: any WebRTCMediaPlane
    let liveSessions: LiveSessions

    func openWebRTC(_ request: WebRTCRequest) async throws(EngineError) -> WebRTCAnswer {
        try await engine.openWebRTC(request)
    }

    func closeWebRTC(_ id: TransportID, session: String) async throws(EngineError) {
        let call = MediaCall.order(.closePeer(PeerID(id), isPlain: false))
        guard let result = await ask(call, id, session) else {
            return try await engine.closeWebRTC(id, session: session)
        }
        _ = try result.get()
    }

    func restartICE(
        _ id: TransportID, session: String, peer: ICECredentials
    ) async throws(EngineError) -> ICECredentials {
        guard let result = await ask(.restartICE(PeerID(id), peer), id, session) else {
            return try await engine.restartICE(id, session: session, peer: peer)
        }
        guard case .media(.credentials(let credentials)) = try result.get() else { throw Self.strange }
        return credentials
    }

    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) async throws(EngineError) {
        guard let result = await ask(.setLayer(PeerID(id), choice), id, session) else {
            return try await engine.setLayer(id, session: session, choice)
        }
        _ = try result.get()
    }

    func webRTC(_ id: TransportID, session: String) async throws(EngineError) -> WebRTCSnapshot {
        guard let result = await ask(.webRTC(PeerID(id)), id, session) else {
            return try await engine.webRTC(id, session: session)
        }
        guard case .webRTC(let snapshot) = try result.get() else { throw Self.strange }
        return snapshot
    }

    /// Returns the streams of a session, which its home relay mirrors, with the subscribers of all relays.
    func streams(session: String) async throws(EngineError) -> [StreamSnapshot] {
        var streams = try await engine.streams(session: session)
        guard let liveSession = liveSessions.liveSession(engineName: session) else { return streams }
        let elsewhere = await liveSession.subscribersElsewhere()
        for index in streams.indices {
            streams[index].subscribers += max(0, min(elsewhere[streams[index].name] ?? 0, Self.maximumSubscribers))
        }
        return streams
    }

    func observeStreams() -> AsyncStream<StreamEvent> { engine.observeStreams() }

    /// Maximum number of subscribers of one stream at the other relays that are counted.
    private static let maximumSubscribers = 1_000_000_000

    /// Error of an answer that does not belong to its call.
    private static let strange = EngineError.invalidRequest(field: "answer", reason: "is not one to the call")

    /// Asks the relay that has a peer; nil if it is this one.
    private func ask(_ call: MediaCall, _ id: TransportID, _ session: String) async -> MediaCallResult? {
        await liveSessions.askElsewhere(call, of: id, engineName: session)
    }
}
