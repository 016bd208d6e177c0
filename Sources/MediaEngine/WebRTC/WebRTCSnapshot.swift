import MediaBase
package import SDP

/// State of one WebRTC transport, as its HTTP resource shows it.
package struct WebRTCSnapshot: Sendable, Equatable, Codable {
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

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        stream = try container.decode(String.self, forKey: .stream)
        direction = try container.decode(WebRTCRequest.Direction.self, forKey: .direction)
        credentials = try container.decode(ICECredentials.self, forKey: .credentials)
        peer = try container.decode(ICECredentials.self, forKey: .peer)
        candidates = try container.decode([ICECandidate].self, forKey: .candidates)
        try container.check(
            candidates.count <= ICECandidate.maximumCount, .candidates, "there are too many candidates")
    }

    init(of peer: WebRTCPeer, candidates: [ICECandidate]) {
        self.init(
            stream: peer.stream, direction: peer.direction, credentials: peer.credentials.local,
            peer: peer.credentials.remote, candidates: candidates)
    }
}
