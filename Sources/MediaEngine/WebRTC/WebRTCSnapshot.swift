package import SDP

/// How one WebRTC transport stands: what its HTTP resource is made of.
package struct WebRTCSnapshot: Sendable {
    package var stream: String
    package var direction: WebRTCRequest.Direction
    /// The relay's of the ICE session in force: those of the latest restart, else those of the answer.
    package var credentials: ICECredentials
    /// The peer's of the same ICE session.
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
}
