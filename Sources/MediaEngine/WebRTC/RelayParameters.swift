import DTLS
import MediaBase
import SDP

/// The relay's part of every offer and answer of one worker: its certificate and its addresses.
struct RelayParameters {
    let identity: DTLSIdentity
    let candidates: [ICECandidate]
    /// Numeric address of plain transports.
    let plainAddress: String
    /// Numeric address of pipes.
    let pipeAddress: String

    /// - Parameter sockets: nil in virtual time.
    init(_ configuration: EngineConfiguration, identity: DTLSIdentity, sockets: WorkerSockets?, worker: Int) {
        self.identity = identity
        candidates = configuration.candidates(of: sockets, worker: worker)
        plainAddress = configuration.advertisedAddress
        pipeAddress = configuration.pipeAddress
    }

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
    /// - Parameter codec: codec of the video that it subscribes to; nil: none, or not known yet.
    func answer(of peer: WebRTCPeer, to description: PeerDescription, codec: VideoCodec? = nil) -> WebRTCAnswer {
        peer.answer(to: description, codec: codec, fingerprint: identity.fingerprint, candidates: candidates)
    }
}
