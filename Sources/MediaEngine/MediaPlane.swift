package import MediaBase
package import SDP

/// Interface between the rules of sessions (`LiveSession`) and the media of their clients. Calls and answers are values, so that the media of
/// a client need not be in the process that runs its session's rules. `MediaEngine` describes the calls.
package protocol MediaPlane: Sendable {
    // MARK: publish peer connections

    func openPublisher(_ request: PublisherRequest) async throws(EngineError) -> WebRTCAnswer

    func updatePublisher(
        _ id: TransportID, session: String, peer: PeerDescription, sections: [PublishedSection]
    ) async throws(EngineError) -> WebRTCAnswer

    // MARK: peer connections that clients offer

    func openWebRTC(_ request: WebRTCRequest) async throws(EngineError) -> WebRTCAnswer

    func webRTC(_ id: TransportID, session: String) async throws(EngineError) -> WebRTCSnapshot

    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) async throws(EngineError)

    // MARK: plain transports

    func openPlain(_ request: PlainTransportRequest) async throws(EngineError) -> PlainTransport

    func requestKeyFrame(_ id: TransportID, session: String) async throws(EngineError)

    // MARK: subscribe peer connections

    func openSubscriber(session: String, isNative: Bool) async throws(EngineError) -> SubscriberOffer

    func connectSubscriber(_ id: TransportID, session: String, peer: PeerDescription) async throws(EngineError)

    func addTracks(_ id: TransportID, session: String, _ tracks: [SubscriberTrack]) async throws(EngineError)

    func removeTracks(_ id: TransportID, session: String, mids: [MID]) async throws(EngineError)

    func setPreferences(
        _ id: TransportID, session: String, stream: String, _ preferences: StreamPreferences
    ) async throws(EngineError)

    // MARK: all peer connections

    func restartICE(
        _ id: TransportID, session: String, peer credentials: ICECredentials
    ) async throws(EngineError) -> ICECredentials

    func prepareRestart(_ id: TransportID, session: String) async throws(EngineError) -> ICECredentials

    func move(_ moves: [PeerMove], session: String) async throws(EngineError)

    // MARK: calls that stop or resume media; each is queued before it returns, in the order of the calls

    func beginSetMuted(session: String, stream: String, kind: MediaKind, muted: Bool) -> EngineCall

    func beginCloseStream(session: String, stream: String) -> EngineCall

    func beginCloseWebRTC(_ id: TransportID, session: String) -> EngineCall

    func beginClosePlain(_ id: TransportID, session: String) -> EngineCall

    // MARK: pipes

    func openPipeReceiver(session: String, _ keys: PipeKeys) async throws(EngineError) -> PipeEnd

    func openPipeSender(session: String, _ keys: PipeKeys, to receiver: PipeEnd) async throws(EngineError) -> PipeEnd

    func pipeDescription(session: String) async throws(EngineError) -> PipeDescription

    func mirror(
        _ description: PipeDescription, _ id: TransportID, session: String, from sender: PipeEnd
    ) async throws(EngineError) -> [PipeTrack]

    func withholdMirrors(_ streams: [String], _ id: TransportID, session: String) async throws(EngineError)

    func sendThroughPipe(_ tracks: [PipeTrack], _ id: TransportID, session: String) async throws(EngineError)

    func closePipe(_ id: TransportID, session: String) async throws(EngineError)

    // MARK: state

    func streams(session: String) async throws(EngineError) -> [StreamSnapshot]

    func peerStatistics(_ id: TransportID, session: String) async throws(EngineError) -> PeerStatistics
    /// Returns the quality of a peer's media over the last minutes.
    func peerQuality(_ id: TransportID, session: String) async throws(EngineError) -> PeerQuality

    func peerTrace(_ id: TransportID, session: String) async throws(EngineError) -> PeerTrace

    func observeStreams() -> AsyncStream<StreamEvent>
}

extension MediaEngine: MediaPlane {}
