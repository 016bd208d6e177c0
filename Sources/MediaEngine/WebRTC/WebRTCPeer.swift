import DTLS
import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Transport

/// WebRTC or native client on its worker: its path (ICE, with DTLS or signalled keys) and, once
/// connected, the media that it sends or receives.
final class WebRTCPeer {
    let id: TransportID
    let direction: WebRTCRequest.Direction
    let session: String
    /// Stream name of a peer for one stream (WHIP, WHEP); otherwise empty.
    let stream: String
    /// Subsession of the peer. Media passes only within a subsession.
    var subsession = EngineSubsession.main {
        didSet {
            inbound?.subsession = subsession
            outbound?.subsession = subsession
        }
    }
    /// Credentials of the ICE session in force: those of the latest restart, otherwise those of offer and answer.
    var credentials: (local: ICECredentials, remote: ICECredentials)
    /// The relay's credentials of a restart that it has offered, until the answer.
    var prepared: ICECredentials?
    /// Description from its first offer or answer.
    let description: PeerDescription
    /// Key that answered a native publisher; nil for other peers.
    var crypto: CryptoAttribute?
    let transport: WebRTCTransport
    /// Destination of media; nil before a pair is nominated.
    var address: PeerAddress?
    /// Index in `PeerTable`, which alone changes it; -1: not in the table.
    var index = -1
    /// Set by `PeerTable.connect`.
    var isConnected = false
    /// Publishers: negotiated sections that have not ended.
    var published: [PublishedSection] = []
    /// Subscribers that have not connected yet: tracks that will be sent.
    var waiting: [SubscriberTrack] = []
    /// Subscribers: preferences by stream.
    var preferences: [String: StreamPreferences] = [:]
    /// Subscribers of one stream: requested layers of video.
    var choice = LayerChoice.automatic
    /// Keys of the handshake, held until a pair is nominated.
    var keys: DTLSKeys?
    /// Keys of outgoing packets, with the peer's keys for RTCP; nil before the peer has connected.
    var egressContext: UnsafeMutablePointer<EgressContext>?
    var inbound: PublishTransport?
    /// Time to report a publisher that has connected and sent no media.
    var mediaDue = MediaTime.never
    var outbound: SubscribeTransport?

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

    /// Creates a peer that may connect from now on.
    /// - Parameter signalled: keys from signalling, and the number of the relay's connectivity check; nil: the peer uses DTLS.
    convenience init(
        id: TransportID, direction: WebRTCRequest.Direction, session: String, stream: String,
        credentials: ICECredentials, peer description: PeerDescription, signalled: (DTLSKeys, UInt64)?,
        identity: DTLSIdentity, _ configuration: WebRTCConfiguration, now: MediaTime
    ) throws(EngineError) {
        var path = WebRTCTransport.Configuration(
            credentials: credentials, peer: description, identity: identity, role: Self.role(facing: description))
        path.signalled = signalled
        path.connectTimeout = configuration.connectTimeout
        path.pathTimeout = configuration.pathTimeout
        path.consentTimeout = configuration.consentTimeout
        let transport: WebRTCTransport
        do {
            transport = try WebRTCTransport(path, now: now)
        } catch {
            throw .invalidRequest(field: "sdp", reason: "\(error)")
        }
        self.init(
            id: id, direction: direction, session: session, stream: stream, credentials: credentials,
            peer: description, transport: transport)
    }

    /// Returns the relay's DTLS role: server, unless the peer is the server (RFC 5763 section 5).
    private static func role(facing peer: PeerDescription) -> DTLSConnection.Role {
        peer.setup == .passive ? .client : .server
    }

    /// Returns the relay's answer to an offer of the peer.
    func answer(
        to description: PeerDescription, fingerprint: CertificateFingerprint, candidates: [ICECandidate]
    ) -> WebRTCAnswer {
        var answer = WebRTCAnswer(
            id: id, session: session, stream: stream, direction: direction, credentials: credentials.local,
            fingerprint: fingerprint, setup: Self.role(facing: description) == .server ? .passive : .active,
            candidates: candidates, sources: [])
        answer.crypto = crypto
        return answer
    }

    /// Receives an RTCP datagram, and decrypts it in place.
    /// - Returns: nil if it was dropped and counted.
    func receiveRTCP(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: PeerAddress, now: MediaTime,
        _ protector: borrowing FanoutProtector, _ counters: inout EngineCounters
    ) -> ReceivedRTCP? {
        guard let egressContext, length >= 8, let sender = rtcpSender else {
            counters.droppedMalformedRTCP &+= 1
            return nil
        }
        var decrypted = length
        do {
            try protector.unprotectRTCP(egressContext, bytes, length: &decrypted)
        } catch {
            counters.droppedUnauthenticRTCP &+= 1
            return nil
        }
        transport.received(from: from, now: now)
        return ReceivedRTCP(bytes, length: decrypted, from: sender, &counters)
    }

    /// Transport of the peer's media; nil before it has connected.
    private var rtcpSender: ReceivedRTCP.Sender? {
        inbound.map { .publisher($0) } ?? outbound.map { .subscriber($0) }
    }

    /// Returns whether the peer is connected and an authentic packet from this address has arrived recently.
    func isInUse(_ address: PeerAddress, now: MediaTime) -> Bool {
        isConnected && transport.hasHeard(from: address, now: now)
    }

    /// Time at which one of its timers is due next.
    var due: MediaTime {
        var due = min(transport.deadline, mediaDue)
        if let feedback = inbound?.feedback.deadline { due = min(due, feedback) }
        if let outbound { due = min(due, outbound.deadline) }
        return due
    }
}
