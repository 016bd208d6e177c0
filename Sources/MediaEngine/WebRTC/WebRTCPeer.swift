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
    private(set) var credentials: (local: ICECredentials, remote: ICECredentials)
    /// The relay's credentials of a restart that it has offered, until the answer.
    private(set) var prepared: ICECredentials?
    /// Description from its first offer or answer.
    let description: PeerDescription
    /// Key that answered a native publisher; nil for other peers.
    private(set) var crypto: CryptoAttribute?
    let transport: WebRTCTransport
    /// Destination of media; nil before a pair is nominated.
    private(set) var address: PeerAddress?
    /// Index in `PeerTable`, which alone changes it; -1: not in the table.
    var index = -1
    /// Set by `PeerTable.connect`.
    var isConnected = false
    /// Publishers: negotiated sections that have not ended.
    private(set) var published: [PublishedSection] = []
    /// Subscribers that have not connected yet: tracks that will be sent.
    var waiting: [SubscriberTrack] = []
    /// Subscribers: preferences by stream.
    var preferences: [String: StreamPreferences] = [:]
    /// Subscribers of one stream: requested layers of video.
    private(set) var choice = LayerChoice.automatic
    /// Keys of the handshake, held until a pair is nominated.
    private var keys: DTLSKeys?
    /// Keys of outgoing packets, with the peer's keys for RTCP; nil before the peer has connected.
    private(set) var egressContext: UnsafeMutablePointer<EgressContext>?
    private(set) var inbound: PublishTransport?
    /// Time to report a publisher that has connected and sent no media.
    var mediaDue = MediaTime.never
    private(set) var outbound: SubscribeTransport?

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
        guard !description.isLite else {
            throw .invalidRequest(field: "sdp", reason: "both sides are ICE-lite: neither would send checks")
        }
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
    /// - Parameter codec: codec of the video that it subscribes to; nil: none, or not known yet.
    func answer(
        to description: PeerDescription, codec: VideoCodec?, fingerprint: CertificateFingerprint,
        candidates: [ICECandidate]
    ) -> WebRTCAnswer {
        var answer = WebRTCAnswer(
            id: id, session: session, stream: stream, direction: direction, credentials: credentials.local,
            fingerprint: fingerprint, setup: Self.role(facing: description) == .server ? .passive : .active,
            candidates: candidates, sources: waiting.map(WebRTCAnswer.Source.init))
        answer.crypto = crypto
        answer.codec = codec
        return answer
    }

    // MARK: connection

    /// Holds the keys of the handshake.
    func hold(_ keys: DTLSKeys) { self.keys = keys }

    /// Takes the keys that the peer connects with, once they are known and a pair is nominated, in either order.
    /// - Returns: key of the peer's packets; nil if it cannot connect yet, or has connected.
    func takeKeys(_ protector: borrowing FanoutProtector) -> SRTPKey? {
        guard address != nil, !isConnected, let keys else { return nil }
        self.keys = nil
        egressContext = protector.makeContext(key: keys.local, peerKey: keys.remote)
        return keys.remote
    }

    /// Begins to receive the media of a publisher.
    /// - Parameter timeout: time for the first packet, after which its absence is reported.
    func begin(_ publisher: PublishTransport, timeout: MediaTime, now: MediaTime) {
        inbound = publisher
        mediaDue = now + timeout
    }

    /// Begins to send media to a subscriber.
    /// - Returns: the tracks that have waited for it.
    func begin(_ subscriber: SubscribeTransport) -> [SubscriberTrack] {
        defer { waiting = [] }
        outbound = subscriber
        return waiting
    }

    /// Frees the memory of the peer's media and keys. Its session must have closed them before.
    func end(_ protector: borrowing FanoutProtector) {
        outbound?.deallocate()
        inbound = nil
        outbound = nil
        if let egressContext { protector.freeContext(egressContext) }
        egressContext = nil
    }

    /// Sends media to a validated address until a pair is nominated: some clients start DTLS and send media on the first valid pair, and
    /// nominate it later.
    func assume(_ validated: PeerAddress) { address = address ?? validated }

    /// Sends media to the address that the transport has selected.
    func select(_ selected: PeerAddress, _ egress: Egress, now: MediaTime, _ quiesced: borrowing Quiesced) {
        let before = address
        address = selected
        guard selected != before else { return }
        if before != nil { inbound?.decisions.note(.moved, now: now) }
        guard let outbound else { return }
        outbound.session.move(outbound, to: selected, isFirst: before == nil, egress, now: now, quiesced)
    }

    /// Keeps the relay's credentials of an ICE restart that it offers.
    func prepareRestart(_ local: ICECredentials) { prepared = local }

    /// Restarts ICE with new credentials. The path remains in use until the first check with them (RFC 8445 section 9).
    func restart(local: ICECredentials, remote: ICECredentials, now: MediaTime) {
        prepared = nil
        credentials = (local, remote)
        transport.restart(local: local, remote: remote, now: now)
    }

    // MARK: media

    /// Sets the sections that the peer publishes.
    func publish(_ sections: [PublishedSection]) { published = sections }

    /// Takes the relay's key that answered a native publisher.
    func answer(with crypto: CryptoAttribute?) { self.crypto = crypto }

    /// Checks that another offer of a publisher describes the same connection.
    func check(offer: PeerDescription) throws(EngineError) {
        guard offer.isSameTransport(as: description) else {
            throw .invalidRequest(field: "sdp", reason: "the certificate or the keys have changed")
        }
    }

    /// Selects the layers of video for a subscriber of one stream.
    func choose(_ choice: LayerChoice, of stream: EngineStream?) throws(EngineError) {
        guard direction == .subscribe, !self.stream.isEmpty else {
            throw .invalidRequest(field: "layer", reason: "the transport does not subscribe to a single stream")
        }
        if case .encoding(let rid, _) = choice, let encodings = stream?.encodings, !encodings.isEmpty,
            !encodings.contains(where: { $0.rid == rid })
        {
            throw .invalidRequest(field: "encodingId", reason: "the stream has no encoding \"\(rid)\"")
        }
        self.choice = choice
        if let outbound { outbound.session.choose(choice, for: outbound) }
    }

    /// Looks for the media of a publisher when it is due. A publisher that is muted or has no tracks is looked at again later, because it may
    /// have nothing to send.
    /// - Returns: whether to report that no packet has arrived, which is true once.
    func lacksMedia(timeout: MediaTime, now: MediaTime) -> Bool {
        guard mediaDue <= now else { return false }
        mediaDue = .never
        guard let inbound, !inbound.hasMedia else { return false }
        if inbound.sections.contains(where: { !$0.stream.muted.contains($0.track.kind) }) { return true }
        mediaDue = now + timeout
        return false
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
