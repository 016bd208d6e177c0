package import SDP

/// Request of `MediaEngine.openWebRTC`: a peer connection that a client offers.
package struct WebRTCRequest: Sendable {
    package enum Direction: String, Sendable {
        /// The client sends.
        case publish
        /// The client receives.
        case subscribe
    }

    package var direction: Direction
    package var session: String
    /// Publish: name of the stream; nil: generated. Subscribe: name of the stream; nil: the newest.
    package var stream: String?
    package var peer: PeerDescription
    /// Negotiated media sections, at most one of each kind.
    package var tracks: [TrackDescription]

    package init(
        direction: Direction, session: String, stream: String? = nil, peer: PeerDescription, tracks: [TrackDescription]
    ) {
        self.direction = direction
        self.session = session
        self.stream = stream
        self.peer = peer
        self.tracks = tracks
    }
}
