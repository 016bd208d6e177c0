import DTLS
package import MediaBase
import RTP
package import SDP
import SRTP
package import Transport
import Forwarding

/// One WebRTC client that publishes to a relay, views a stream of it or receives what it offers: offer and answer, ICE, DTLS, SRTP, retransmission both ways,
/// reports, key-frame requests and transport-wide feedback. No sockets, clock or encoders: what is sent is handed in, time is an argument, so it
/// serves tests in virtual time and the load generator alike.
///
/// ```swift
/// let endpoint = WebRTCEndpoint(.publisher(identity: identity, using: &random), random: random)
/// let answer = post(endpoint.offer.text)
/// try endpoint.accept(answer, now: now)
/// while let output = endpoint.nextOutput() { … }        // after each call
/// endpoint.send(payload, track: 1, time: captured, marker: true, now: now)
/// ```
package final class WebRTCEndpoint {
    package enum Output: Sendable {
        case transmit([UInt8], to: PeerAddress)
        /// A TCP connection is to be opened or closed (see `WebRTCClientTransport`).
        case connect(SocketAddress, connection: Int32)
        case disconnect(connection: Int32)
        /// Media may be sent.
        case connected
        /// The relay wants a key frame of an encoding of a track.
        case keyFrameWanted(track: Int, encoding: Int)
        /// ICE or DTLS has not completed in time; at most once, and it may complete yet.
        case noPath(MediaPathReport)
        /// The last output.
        case ended(TransportEnd)
    }

    /// Reports are sent as often.
    package static let reportInterval = MediaTime.milliseconds(1000)
    /// Streams that are received at most, of a relay that offers them and else.
    static let streamLimits = (offered: 512, other: 16)
    /// SSRCs that are remembered of a relay that offers: streams come and go, and what was played once is not to be played again.
    static let rememberedSources = 8192

    package let configuration: Configuration
    /// The latest offer; of an endpoint that receives, an empty one.
    package internal(set) var offer: SessionDescription
    /// What the latest offer has, by the place of the section, and which of it sends no more.
    var offered: [TrackDescription]
    var stopped: Set<MID> = []
    var version = 1
    var credentials: ICECredentials
    /// The relay's.
    var remoteCredentials: ICECredentials?
    /// What the relay's first offer was answered with, where keys are in offers and answers.
    var answeredKey: CryptoAttribute?
    /// An offer of ours waits for its answer.
    var isOffering = true
    var isRestarting = false
    /// By the place of the track in the offer; nil where the relay rejected it, and before the answer.
    package internal(set) var tracks: [TrackDescription?]
    package internal(set) var statistics = EndpointStatistics()
    /// Takes each media packet, in the order in which they come.
    package var onPacket: ((IncomingPacket) -> Void)?

    var random: any RandomNumberGenerator
    var transport: WebRTCClientTransport?
    var address: PeerAddress?
    var protector: SRTPContext?
    var opener: IngressContext?
    var outputs: [Output] = []
    private var taken = 0
    /// By track and encoding.
    var outgoing: [[OutgoingEncoding]]
    var incoming: [IncomingStream] = []
    /// Of each stream in `incoming`.
    var places: [SSRC: Int] = [:]
    /// Which media stream an RTX stream repairs, as far as the answer says.
    var repairs: [SSRC: SSRC] = [:]
    var feedback: FeedbackMaker
    var received = ReceiverEstimate()
    var transportSequence: UInt16
    /// Of a publisher that estimates its path, from its connection on.
    package internal(set) var uplink: UplinkEstimate?
    /// The packet in `outgoingRoom` has a transport-wide number.
    var isNumbered = false
    var nextReport = MediaTime.never
    /// Where packets are opened, and where they are made: one may lead to the other.
    let incomingRoom: UnsafeMutableRawBufferPointer
    let outgoingRoom: UnsafeMutableRawBufferPointer
    /// When the relay first answered a connectivity check.
    package private(set) var pathFound: MediaTime?
    package private(set) var isConnected = false
    package private(set) var isEnded = false

    /// - Parameter random: of SSRC-bound numbers and of ICE; a seeded one for tests only.
    package init(_ configuration: Configuration, random: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.configuration = configuration
        self.random = random
        var maker = OfferMaker(
            credentials: configuration.credentials, fingerprint: configuration.identity.fingerprint)
        maker.cryptos = configuration.keys?.offered ?? []
        maker.cname = configuration.cname
        maker.streamID = configuration.cname
        maker.candidates = configuration.candidates
        offer =
            configuration.direction == .publish ? maker.publish(configuration.tracks) : maker.view(configuration.tracks)
        offered = configuration.tracks
        credentials = configuration.credentials
        tracks = configuration.tracks.map { _ in nil }
        outgoing = configuration.tracks.map { _ in [] }
        feedback = FeedbackMaker(sender: configuration.reporter, media: configuration.reporter)
        // What is sent is remembered from number 0 on.
        transportSequence = configuration.uplinkStart == nil ? .random(in: .min ... .max, using: &self.random) : 0
        incomingRoom = .allocate(byteCount: 2048, alignment: 8)
        outgoingRoom = .allocate(byteCount: 2048, alignment: 8)
    }

    deinit {
        incomingRoom.deallocate()
        outgoingRoom.deallocate()
    }

    /// Takes one datagram.
    package func receive(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        guard let transport, !isEnded else { return }
        switch DatagramKind(datagram) {
        case .stun: transport.receiveSTUN(datagram, from: source, now: now)
        case .dtls: transport.receiveDTLS(datagram, from: source, now: now)
        case .rtp: return receiveRTP(datagram, now: now)
        case .rtcp: return receiveRTCP(datagram, now: now)
        case .zrtp, .turnChannel, .unknown:
            statistics.refused += 1
            return
        }
        drain(now: now)
    }

    package func connected(connection: Int32, now: MediaTime) {
        transport?.connected(connection: connection, now: now)
        drain(now: now)
    }

    package func disconnected(connection: Int32, now: MediaTime) {
        transport?.disconnected(connection: connection, now: now)
        drain(now: now)
    }

    /// The local address is another one.
    package func rebind(now: MediaTime) {
        transport?.rebind(now: now)
        drain(now: now)
    }

    /// ICE restart with the new credentials of both sides.
    package func restart(local: ICECredentials, remote: ICECredentials, now: MediaTime) {
        credentials = local
        remoteCredentials = remote
        transport?.restart(local: local, remote: remote, now: now)
        drain(now: now)
    }

    /// When the relay answered a connectivity check last; nil before the first time.
    package var lastConsent: MediaTime? { transport?.lastConsent }

    /// Says goodbye. No `ended` follows.
    package func close(now: MediaTime) {
        guard !isEnded else { return }
        transport?.close(now: now)
        drain(now: now)
        isEnded = true
        isConnected = false
    }

    /// When `handleTimeout` is to be called next.
    package var deadline: MediaTime {
        guard let transport, !isEnded else { return .never }
        var deadline = min(transport.deadline, nextReport)
        guard isConnected else { return deadline }
        if let uplink { deadline = min(deadline, uplink.deadline) }
        if configuration.sendsTransportFeedback, let due = feedback.deadline { deadline = min(deadline, due) }
        if configuration.sendsREMB, let due = received.deadline { deadline = min(deadline, due) }
        for stream in incoming { deadline = min(deadline, stream.deadline(asks: configuration.asksForLostPackets)) }
        return deadline
    }

    package func handleTimeout(now: MediaTime) {
        guard let transport, !isEnded else { return }
        if transport.deadline <= now {
            transport.handleTimeout(now: now)
            drain(now: now)
        }
        guard isConnected else { return }
        uplink?.handleTimeout(now: now)
        sendDueRTCP(now: now)
    }

    package func nextOutput() -> Output? {
        guard taken < outputs.count else {
            outputs.removeAll(keepingCapacity: true)
            taken = 0
            return nil
        }
        defer { taken += 1 }
        return outputs[taken]
    }

    func drain(now: MediaTime) {
        while let output = transport?.nextOutput() {
            switch output {
            case .transmit(let datagram, let to): outputs.append(.transmit(datagram, to: to))
            case .connect(let address, let connection): outputs.append(.connect(address, connection: connection))
            case .disconnect(let connection): outputs.append(.disconnect(connection: connection))
            case .selected(let address):
                self.address = address
                pathFound = pathFound ?? now
            case .connected(let keys): begin(keys, now: now)
            case .noPath(let report): outputs.append(.noPath(report))
            case .ended(let reason): end(reason)
            }
        }
    }

    /// What comes can be read from now on.
    func open(_ keys: DTLSKeys) {
        opener = IngressContext(
            key: keys.remote,
            maximumStreams: configuration.direction == .receive ? Self.rememberedSources : 2 * Self.streamLimits.other)
    }

    private func begin(_ keys: DTLSKeys, now: MediaTime) {
        do throws(SRTPFailure) {
            protector = try SRTPContext(key: keys.local, direction: .outbound)
        } catch {
            // Keys of a handshake always fit; the library is out of memory.
            return end(.dtls(.library("SRTP: \(error)")))
        }
        if opener == nil { open(keys) }
        if let start = configuration.uplinkStart { uplink = UplinkEstimate(start: start, now: now) }
        isConnected = true
        nextReport = now + .milliseconds(200)
        outputs.append(.connected)
    }

    private func end(_ reason: TransportEnd) {
        isEnded = true
        isConnected = false
        outputs.append(.ended(reason))
    }
}
