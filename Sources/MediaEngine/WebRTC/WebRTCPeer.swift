internal import DTLS
internal import Forwarding
internal import MediaBase
internal import RTP
internal import SDP
internal import SRTP
internal import Transport

/// One WebRTC client on its worker: its path (ICE and DTLS) and, once that stands, what it sends or gets.
final class WebRTCPeer {
    let id: TransportID
    let direction: WebRTCRequest.Direction
    let session: String
    let stream: String
    /// Of the ICE session in force: those of the latest restart, else those of offer and answer.
    var credentials: (local: ICECredentials, remote: ICECredentials)
    /// The media sections that were agreed on.
    let sections: [TrackDescription]
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
    /// What it will be sent, in the order of its sections.
    var sources: [WebRTCAnswer.Source] = []
    /// Which layers of video it asked for.
    var choice = LayerChoice.automatic
    /// From the handshake, until a pair is nominated as well.
    var keys: DTLSKeys?
    /// Keys of what goes out, with the peer's for RTCP; nil before the handshake is done.
    var leg: UnsafeMutablePointer<EgressLeg>?
    var inbound: PeerInbound?
    var outbound: PeerOutbound?

    init(
        id: TransportID, request: WebRTCRequest, stream: String, credentials: ICECredentials,
        transport: WebRTCTransport
    ) {
        self.id = id
        direction = request.direction
        session = request.session
        self.stream = stream
        self.credentials = (credentials, request.peer.credentials)
        sections = request.tracks
        self.transport = transport
    }
}
