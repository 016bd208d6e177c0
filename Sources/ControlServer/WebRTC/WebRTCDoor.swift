package import MediaEngine
package import SDP

/// What WHIP and WHEP need of a media engine: the floor below, seen through a slit.
package protocol WebRTCDoor: Sendable {
    /// Takes a peer connection that a client offers.
    func openWebRTC(_ request: WebRTCRequest) async throws(EngineError) -> WebRTCAnswer

    func closeWebRTC(_ id: TransportID, session: String) async throws(EngineError)

    /// Begins an ICE session anew (RFC 8445 section 9).
    ///
    /// - Parameter peer: the client's new credentials.
    /// - Returns: the relay's.
    func restartICE(
        _ id: TransportID, session: String, peer: ICECredentials
    ) async throws(EngineError) -> ICECredentials

    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) async throws(EngineError)

    /// How a transport stands; throws `unknownTransport` once it is gone, however it went.
    func webRTC(_ id: TransportID, session: String) async throws(EngineError) -> WebRTCSnapshot

    /// Streams of a session; throws `unknownSession` if nobody is in it.
    func streams(session: String) async throws(EngineError) -> [StreamSnapshot]

    /// Streams that come and go from now on.
    func observeStreams() -> AsyncStream<StreamEvent>
}

extension MediaEngine: WebRTCDoor {}
