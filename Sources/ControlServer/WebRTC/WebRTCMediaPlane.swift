package import MediaEngine
package import SDP

/// Part of the media engine that WHIP and WHEP use.
package protocol WebRTCMediaPlane: Sendable {
    /// Opens a peer connection that a client offers.
    func openWebRTC(_ request: WebRTCRequest) async throws(EngineError) -> WebRTCAnswer

    func closeWebRTC(_ id: TransportID, session: String) async throws(EngineError)

    /// Starts a new ICE session (RFC 8445 section 9).
    ///
    /// - Parameter peer: new credentials of the client.
    /// - Returns: new credentials of the relay.
    func restartICE(
        _ id: TransportID, session: String, peer: ICECredentials
    ) async throws(EngineError) -> ICECredentials

    func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) async throws(EngineError)

    /// Returns the state of a transport. Throws `unknownTransport` after its end, whatever the cause.
    func webRTC(_ id: TransportID, session: String) async throws(EngineError) -> WebRTCSnapshot

    /// Returns the streams of a session; throws `unknownSession` if it is empty.
    func streams(session: String) async throws(EngineError) -> [StreamSnapshot]

    /// Returns events of streams that begin and end from now on.
    func observeStreams() -> AsyncStream<StreamEvent>
}

extension MediaEngine: WebRTCMediaPlane {}
