package import MediaBase
package import SDP

/// The relay's part of a peer connection.
package struct WebRTCAnswer: Sendable {
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

    package struct Source: Sendable {
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
}
