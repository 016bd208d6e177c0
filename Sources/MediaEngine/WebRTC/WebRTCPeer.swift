import DTLS
import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// One WebRTC or native client on its worker: its path (ICE, and DTLS or keys of signalling) and, once that stands, what it sends or gets.
final class WebRTCPeer {
    let id: TransportID
    let direction: WebRTCRequest.Direction
    let session: String
    /// Of a peer for one stream (WHIP, WHEP) its name; else empty.
    let stream: String
    /// What it publishes is heard there, and it hears what is published there.
    var room = EngineRoom.main
    /// Of the ICE session in force: those of the latest restart, else those of offer and answer.
    var credentials: (local: ICECredentials, remote: ICECredentials)
    /// Of a restart that the relay has offered, until its answer.
    var prepared: ICECredentials?
    /// Of its first offer, or of its answer.
    let description: PeerDescription
    /// What a native publisher was answered; nil of others.
    var crypto: CryptoAttribute?
    let transport: WebRTCTransport
    /// Where media goes; nil before a pair was nominated.
    var address: PeerAddress?
    /// Every address under which the worker knows it, the newest last.
    var addresses: [PeerAddress] = []
    static let maximumAddresses = 8
    /// Fragments under which the worker knows it: two while a restart is under way.
    var fragments: [String] = []
    /// Place in the worker's list of peers.
    var place = -1
    var isConnected = false
    /// Of a publisher: the sections that were agreed on and are not closed.
    var published: [PublishedSection] = []
    /// Of a subscriber that has not connected yet: what it will be sent.
    var waiting: [SubscriberTrack] = []
    /// Of a subscriber: what it would like, by stream.
    var preferences: [String: StreamPreferences] = [:]
    /// Of a viewer of one stream: which layers of video it asked for.
    var choice = LayerChoice.automatic
    /// From the handshake, until a pair is nominated as well.
    var keys: DTLSKeys?
    /// Keys of what goes out, with the peer's for RTCP; nil before the handshake is done.
    var leg: UnsafeMutablePointer<EgressLeg>?
    var inbound: PeerInbound?
    /// Time to report a publisher that has connected and sent no media.
    var mediaDue = MediaTime.never
    var outbound: PeerOutbound?

    init(
        id: TransportID, direction: WebRTCRequest.Direction, session: String, stream: String = "",
        credentials: ICECredentials, peer: PeerDescription, transport: WebRTCTransport
    ) {
        self.id = id
        self.direction = direction
        self.session = session
        self.stream = stream
        self.credentials = (credentials, peer.credentials)
        description = peer
        self.transport = transport
    }
}
