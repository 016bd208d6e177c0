package import MediaBase
package import SDP

/// The relay's half of a peer connection.
package struct WebRTCAnswer: Sendable {
    package var id: TransportID
    package var session: String
    package var stream: String
    package var direction: WebRTCRequest.Direction
    package var credentials: ICECredentials
    package var fingerprint: CertificateFingerprint
    /// Of a native transport: the relay's key, for the one of the offer that it takes.
    package var crypto: CryptoAttribute?
    /// `passive` unless the peer offered to be that itself.
    package var setup: PeerDescription.Setup
    package var candidates: [ICECandidate]
    /// What the relay will send, one entry for each track of a subscription.
    package var sources: [Source]

    package struct Source: Sendable {
        package var mid: MID
        package var kind: MediaKind
        package var ssrc: SSRC
        /// Present where retransmissions were agreed on.
        package var rtxSSRC: SSRC?

        package init(mid: MID, kind: MediaKind, ssrc: SSRC, rtxSSRC: SSRC?) {
            self.mid = mid
            self.kind = kind
            self.ssrc = ssrc
            self.rtxSSRC = rtxSSRC
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
