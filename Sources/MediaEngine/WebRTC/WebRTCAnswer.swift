package import MediaBase
package import SDP

/// The relay's part of a peer connection.
package struct WebRTCAnswer: Sendable, Equatable, Codable {
    package var id: TransportID
    package var session: String
    package var stream: String
    package var direction: WebRTCRequest.Direction
    package var credentials: ICECredentials
    package var fingerprint: CertificateFingerprint
    /// Native transports: the relay's key, in answer to the accepted key of the offer.
    package var crypto: CryptoAttribute?
    /// `passive` unless the peer offered `passive` itself.
    package var setup: PeerDescription.Setup
    package var candidates: [ICECandidate]
    /// Media that the relay will send, one entry for each track of a subscription.
    package var sources: [Source]
    /// Codec of a subscription's video, the only one that the answer lists (`TrackDescription.limited(to:)`); nil if it is not known yet.
    package var codec: VideoCodec?

    package struct Source: Sendable, Equatable, Codable {
        package var mid: MID
        package var kind: MediaKind
        package var ssrc: SSRC
        /// SSRC of retransmissions; nil unless they were negotiated.
        package var rtxSSRC: SSRC?

        package init(mid: MID, kind: MediaKind, ssrc: SSRC, rtxSSRC: SSRC?) {
            self.mid = mid
            self.kind = kind
            self.ssrc = ssrc
            self.rtxSSRC = rtxSSRC
        }

        init(_ track: SubscriberTrack) {
            self.init(mid: track.track.mid, kind: track.track.kind, ssrc: track.ssrc, rtxSSRC: track.rtxSSRC)
        }
    }

    package init(
        id: TransportID, session: String, stream: String, direction: WebRTCRequest.Direction,
        credentials: ICECredentials, fingerprint: CertificateFingerprint, setup: PeerDescription.Setup,
        candidates: [ICECandidate], sources: [Source]
    ) {
        self.id = id
        self.session = session
        self.stream = stream
        self.direction = direction
        self.credentials = credentials
        self.fingerprint = fingerprint
        self.setup = setup
        self.candidates = candidates
        self.sources = sources
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(TransportID.self, forKey: .id)
        session = try container.decode(String.self, forKey: .session)
        stream = try container.decode(String.self, forKey: .stream)
        direction = try container.decode(WebRTCRequest.Direction.self, forKey: .direction)
        credentials = try container.decode(ICECredentials.self, forKey: .credentials)
        fingerprint = try container.decode(CertificateFingerprint.self, forKey: .fingerprint)
        crypto = try container.decodeIfPresent(CryptoAttribute.self, forKey: .crypto)
        setup = try container.decode(PeerDescription.Setup.self, forKey: .setup)
        candidates = try container.decode([ICECandidate].self, forKey: .candidates)
        sources = try container.decode([Source].self, forKey: .sources)
        codec = try container.decodeIfPresent(VideoCodec.self, forKey: .codec)
        // The id becomes part of the path of a resource.
        try container.check(id.isHex, .id, "an id has hexadecimal digits only")
        try container.check(
            candidates.count <= ICECandidate.maximumCount, .candidates, "there are too many candidates")
        try container.check(
            Set(sources.map(\.kind)).count == sources.count, .sources, "two sources are of one kind")
    }
}
