package import SDP

/// One peer connection that a client offers: what `MediaEngine.openWebRTC` is asked for.
package struct WebRTCRequest: Sendable {
    package enum Direction: String, Sendable {
        /// The client sends.
        case publish
        /// The client receives.
        case subscribe
    }

    package var direction: Direction
    package var session: String
    /// To publish: the stream's name, made up where it is nil. To subscribe: the stream wanted; nil: the newest.
    package var stream: String?
    package var peer: PeerDescription
    /// The media sections that were agreed on, at most one of each kind.
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
