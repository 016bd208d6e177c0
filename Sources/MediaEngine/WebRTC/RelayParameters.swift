import DTLS
import MediaBase
import SDP

/// The relay's part of every offer and answer of one worker: its certificate and its candidates.
struct RelayParameters {
    let identity: DTLSIdentity
    let candidates: [ICECandidate]

    /// Returns the offer of a subscribe peer connection.
    func offer(_ offered: AwaitedSubscriber, _ id: TransportID, _ codecs: [VideoCodec]) -> SubscriberOffer {
        SubscriberOffer(
            id: id, session: offered.session.name,
            relay: RelayDescription(
                credentials: offered.credentials, fingerprint: identity.fingerprint,
                cryptos: offered.keys?.offered ?? [], setup: .actpass, candidates: candidates),
            videoCodecs: codecs)
    }

    /// Returns the answer to an offer of a peer.
    func answer(of peer: WebRTCPeer, to description: PeerDescription) -> WebRTCAnswer {
        peer.answer(to: description, fingerprint: identity.fingerprint, candidates: candidates)
    }
}
