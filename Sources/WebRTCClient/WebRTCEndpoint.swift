import DTLS
package import MediaBase
import RTP
package import SDP
import SRTP
package import Transport
import Forwarding

/// WebRTC client that publishes to a relay, subscribes to one of its streams, or receives the streams that it offers: offer and
/// answer, ICE, DTLS, SRTP, retransmission in both directions, reports, key frame requests and transport-wide feedback. Has no
/// sockets, clock or encoders: the caller passes in media and time, so that tests in virtual time and the load generator share it.
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
        /// TCP connection that the caller must open or close (see `WebRTCClientTransport`).
        case connect(SocketAddress, connection: Int32)
        case disconnect(connection: Int32)
        /// The connection is established: media may be sent.
        case connected
        /// The relay requests a key frame of an encoding of a track.
        case keyFrameWanted(track: Int, encoding: Int)
        /// ICE or DTLS has not completed in time. Emitted at most once; the connection may still complete.
        case noPath(MediaPathReport)
        /// The last output.
        case ended(TransportEnd)
    }

    /// Interval between reports.
    package static let reportInterval = MediaTime.milliseconds(1000)
    /// Maximum number of received streams, if the relay makes the offers and if this side does.
    static let streamLimits = (offered: 512, other: 16)
    /// Maximum number of SSRCs with SRTP replay state, for a relay that makes the offers: streams come and go, and packets of an
    /// ended stream must not be accepted again.
    static let rememberedSources = 8192

    package let configuration: Configuration
    /// The latest offer; empty if the relay makes the offers.
    package internal(set) var offer: SessionDescription
    /// Tracks of the latest offer by section index, and the sections that no longer send.
    var offered: [TrackDescription]
    var stopped: Set<MID> = []
    var version = 1
    var credentials: ICECredentials
    /// The relay's credentials.
    var remoteCredentials: ICECredentials?
    /// New credentials of this side that the relay has not answered.
    var restartCredentials: ICECredentials?
    /// Whether the relay is ICE-lite: it answers the source of each check, and needs no candidates of this side.
    package internal(set) var isRelayLite = false
    /// Key in the answer to the relay's first offer, if keys are in offers and answers.
    var answeredKey: CryptoAttribute?
    /// True while an offer of this side waits for its answer.
    var isOffering = true
    var isRestarting = false
    /// Negotiated tracks by index in the offer; nil before the answer, and for a track that the relay rejected.
    package internal(set) var tracks: [TrackDescription?]
    package internal(set) var statistics = EndpointStatistics()
    /// Called with each media packet, in the order of arrival.
    package var onPacket: ((IncomingPacket) -> Void)?

    var random: any RandomNumberGenerator
    var transport: WebRTCClientTransport?
    var address: PeerAddress?
    var protector: SRTPContext?
    var opener: IngressContext?
    var outputs: [Output] = []
    private var taken = 0
    /// Sent encodings, by track and encoding.
    var outgoing: [[OutgoingEncoding]]
    var incoming: [IncomingStream] = []
    /// Index in `incoming` of each SSRC.
    var streamIndices: [SSRC: Int] = [:]
    /// Media stream that each RTX stream repairs, as far as the answer announces it.
    var repairs: [SSRC: SSRC] = [:]
    var feedback: FeedbackMaker
    var received = ReceiverEstimate()
    var transportSequence: UInt16
    /// Bandwidth estimate of a publisher that estimates its path; set when it connects.
    package internal(set) var uplink: UplinkEstimate?
    /// Probe that is being sent.
    var probe: ProbePacer?
    /// Time at which packets of the probe are due next.
    var nextProbe = MediaTime.never
    /// Number of the probe that the packet in `outgoingRoom` belongs to; 0: none.
    var probeNumber: UInt16 = 0
    /// True if the packet in `outgoingRoom` has a transport-wide number.
    var isNumbered = false
    var nextReport = MediaTime.never
    /// Buffers for received and for sent packets. Separate, because receiving a packet may cause another to be sent.
    let incomingRoom: UnsafeMutableRawBufferPointer
    let outgoingRoom: UnsafeMutableRawBufferPointer
    /// Time at which the relay first answered a connectivity check.
    package private(set) var pathFound: MediaTime?
    package private(set) var isConnected = false
    package private(set) var isEnded = false

    /// - Parameter random: generator for ICE, SSRCs and first sequence numbers; seeded in tests only.
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
        // The bandwidth estimate's record of sent packets begins at number 0.
        transportSequence = configuration.uplinkStart == nil ? .random(in: .min ... .max, using: &self.random) : 0
        incomingRoom = .allocate(byteCount: 2048, alignment: 8)
        outgoingRoom = .allocate(byteCount: 2048, alignment: 8)
    }

    deinit {
        incomingRoom.deallocate()
        outgoingRoom.deallocate()
    }

    /// Processes one datagram.
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

    /// Handles a change of the local address.
    package func rebind(now: MediaTime) {
        transport?.rebind(now: now)
        drain(now: now)
    }

    /// Restarts ICE with new credentials of both sides.
    package func restart(local: ICECredentials, remote: ICECredentials, now: MediaTime) {
        credentials = local
        remoteCredentials = remote
        transport?.restart(local: local, remote: remote, now: now)
        drain(now: now)
    }

    /// Address of the relay that media is sent to; nil before the first one is selected.
    package var relayAddress: PeerAddress? { address }

    /// Time at which the relay last answered a connectivity check; nil before the first answer.
    package var lastConsent: MediaTime? { transport?.lastConsent }

    /// Closes the connection and notifies the relay. No `ended` follows.
    package func close(now: MediaTime) {
        guard !isEnded else { return }
        transport?.close(now: now)
        drain(now: now)
        isEnded = true
        isConnected = false
    }

    /// Time at which to call `handleTimeout` next.
    package var deadline: MediaTime {
        guard let transport, !isEnded else { return .never }
        var deadline = min(transport.deadline, nextReport)
        guard isConnected else { return deadline }
        if let uplink { deadline = min(deadline, uplink.deadline) }
        if probe != nil { deadline = min(deadline, nextProbe) }
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
        beginProbe(now: now)
        sendProbe(now: now)
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

    /// Creates the context that decrypts received packets.
    func open(_ keys: DTLSKeys) {
        opener = IngressContext(
            key: keys.remote,
            maximumStreams: configuration.direction == .receive ? Self.rememberedSources : 2 * Self.streamLimits.other)
    }

    private func begin(_ keys: DTLSKeys, now: MediaTime) {
        do throws(SRTPFailure) {
            protector = try SRTPContext(key: keys.local, direction: .outbound)
        } catch {
            // Keys of a handshake always fit, so the library is out of memory.
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
