package import MediaBase
package import SDP

/// Request of `MediaEngine.openWebRTC`: a peer connection that a client offers.
package struct WebRTCRequest: Sendable, Equatable, Codable {
    package enum Direction: String, Sendable, Codable {
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
    /// Publish: kinds whose packets are dropped from the first one on, until they are unmuted.
    package var startsMuted: Set<MediaKind> = []

    package init(
        direction: Direction, session: String, stream: String? = nil, peer: PeerDescription, tracks: [TrackDescription]
    ) {
        self.direction = direction
        self.session = session
        self.stream = stream
        self.peer = peer
        self.tracks = tracks
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        direction = try container.decode(Direction.self, forKey: .direction)
        session = try container.decode(String.self, forKey: .session)
        stream = try container.decodeIfPresent(String.self, forKey: .stream)
        peer = try container.decode(PeerDescription.self, forKey: .peer)
        tracks = try container.decode([TrackDescription].self, forKey: .tracks)
        startsMuted = try container.decodeIfPresent(Set<MediaKind>.self, forKey: .startsMuted) ?? []
        try container.check(Set(tracks.map(\.kind)).count == tracks.count, .tracks, "two tracks are of one kind")
        try container.check(Set(tracks.map(\.mid)).count == tracks.count, .tracks, "two tracks have the same MID")
    }
}
