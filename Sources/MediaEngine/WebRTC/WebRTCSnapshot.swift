package import SDP

/// State of one WebRTC transport, as its HTTP resource shows it.
package struct WebRTCSnapshot: Sendable {
    package var stream: String
    package var direction: WebRTCRequest.Direction
    /// The relay's credentials of the ICE session in force: those of the latest restart, otherwise those of the answer.
    package var credentials: ICECredentials
    /// The peer's credentials of the same ICE session.
    package var peer: ICECredentials
    package var candidates: [ICECandidate]

    package init(
        stream: String, direction: WebRTCRequest.Direction, credentials: ICECredentials, peer: ICECredentials,
        candidates: [ICECandidate]
    ) {
        self.stream = stream
        self.direction = direction
        self.credentials = credentials
        self.peer = peer
        self.candidates = candidates
    }

    init(of peer: WebRTCPeer, candidates: [ICECandidate]) {
        self.init(
            stream: peer.stream, direction: peer.direction, credentials: peer.credentials.local,
            peer: peer.credentials.remote, candidates: candidates)
    }
}
