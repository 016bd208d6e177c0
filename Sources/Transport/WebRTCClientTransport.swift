package import DTLS
package import MediaBase
package import SDP
package import SRTP

/// A client's path to a relay and its keys: full ICE, controlling, and DTLS, in the same style as `WebRTCTransport`. It makes the load of
/// tests and measurements, with any relay that is reached by WHIP or WHEP.
///
/// The caller has a UDP socket, and connections by their numbers, where datagrams go in frames (`StreamFraming`).
///
/// ```swift
/// let client = try WebRTCClientTransport(configuration, now: now)
/// for candidate in answer.candidates { client.add(candidate, now: now) }
/// while let output = client.nextOutput() { … }
/// ```
package final class WebRTCClientTransport {
    package struct Configuration: Sendable {
        /// Credentials of both sides and the timing of checks.
        package var ice: ICEFullAgent.Configuration
        /// Of the relay's certificate.
        package var fingerprints: [CertificateFingerprint]
        package var identity: DTLSIdentity
        package var role: DTLSConnection.Role
        /// From the start to the end of the handshake.
        package var connectTimeout = MediaTime.seconds(15)
        /// From the start to the report of a handshake that is not done; at most `connectTimeout`.
        package var pathTimeout = MediaTime.seconds(10)
        /// Without an answer to a check for this long the relay is gone (RFC 7675 section 5.1).
        package var consentTimeout = MediaTime.seconds(30)
        package var suites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80]
        /// Keys that came by signalling: no hands are shaken.
        package var keys: DTLSKeys?

        /// - Parameter peer: what the relay's answer says.
        package init(
            credentials: ICECredentials, peer: PeerDescription, identity: DTLSIdentity,
            role: DTLSConnection.Role = .client
        ) {
            ice = ICEFullAgent.Configuration(local: credentials, remote: peer.credentials)
            fingerprints = peer.fingerprints
            self.identity = identity
            self.role = role
        }
    }

    package enum Output: Sendable {
        case transmit([UInt8], to: PeerAddress)
        /// A TCP connection is to be opened; `connected(connection:now:)` or `disconnected(connection:now:)` is to follow.
        case connect(SocketAddress, connection: Int32)
        case disconnect(connection: Int32)
        /// Media goes there from now on.
        case selected(PeerAddress)
        /// The handshake is done, or with keys of signalling the relay has checked the path; once.
        case connected(DTLSKeys)
        /// Not connected by `pathTimeout`; at most once. The path may still come about.
        case noPath(MediaPathReport)
        /// The last output.
        case ended(TransportEnd)
    }

    private enum Phase {
        case connecting
        case connected
        case ended
    }

    private let configuration: Configuration
    private var agent: ICEFullAgent
    /// Nil where the keys came by signalling.
    private var dtls: DTLSAssociation?
    private var phase = Phase.connecting
    private var outputs = OutputQueue<Output>()
    private let connectDeadline: MediaTime
    /// Until a path that has not come about was reported.
    private var pathDeadline: MediaTime
    /// When `handleTimeout` is to be called next; it may change with each call.
    package private(set) var deadline: MediaTime

    /// - Parameter random: of transaction ids, the tie breaker and the intervals of consent checks; a seeded one for tests only.
    /// - Throws: where the relay announced no fingerprint, or there is no suite to offer.
    package init(
        _ configuration: Configuration, random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
        now: MediaTime
    ) throws(DTLSFailure) {
        self.configuration = configuration
        agent = ICEFullAgent(configuration.ice, random: random, now: now)
        if configuration.keys == nil {
            dtls = try DTLSAssociation(
                .init(
                    role: configuration.role, identity: configuration.identity,
                    peerFingerprints: configuration.fingerprints, suites: configuration.suites))
        }
        connectDeadline = now + configuration.connectTimeout
        pathDeadline = now + min(configuration.pathTimeout, configuration.connectTimeout)
        deadline = pathDeadline
    }

    package var isConnected: Bool { phase == .connected }
    package var isEnded: Bool { phase == .ended }
    package var selected: PeerAddress? { agent.selected }
    package var isControlling: Bool { agent.isControlling }
    /// When the relay answered a check on the path of the media last.
    package var lastConsent: MediaTime? { agent.lastConsent }

    /// Takes a candidate of the relay's: UDP, or TCP passive, with a numeric address.
    /// - Returns: false where it is of no use.
    @discardableResult
    package func add(_ candidate: ICECandidate, now: MediaTime) -> Bool {
        guard phase != .ended else { return false }
        defer { settle(now: now) }
        return agent.add(candidate, now: now)
    }

    /// A connection that `Output.connect` asked for stands.
    package func connected(connection: Int32, now: MediaTime) {
        guard phase != .ended else { return }
        agent.connected(connection: connection, now: now)
        settle(now: now)
    }

    /// A connection could not be made, or is closed.
    package func disconnected(connection: Int32, now: MediaTime) {
        guard phase != .ended else { return }
        agent.disconnected(connection: connection, now: now)
        settle(now: now)
    }

    package func receiveSTUN(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        guard phase != .ended else { return }
        agent.receive(datagram, from: source, now: now)
        settle(now: now)
    }

    /// Takes a DTLS datagram; one from an address that is no candidate of the relay's is dropped.
    package func receiveDTLS(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        guard phase != .ended, agent.isKnown(source) else { return }
        attempt { () throws(DTLSFailure) in try dtls?.receive(datagram, now: now) }
        settle(now: now)
    }

    /// The local socket is another one, or the network is: the way to the relay is found anew, media meanwhile goes where it went.
    package func rebind(now: MediaTime) {
        guard phase != .ended else { return }
        agent.rebind(now: now)
        settle(now: now)
    }

    /// ICE restart (RFC 8445 section 9) with the new credentials of both sides.
    package func restart(local: ICECredentials, remote: ICECredentials, now: MediaTime) {
        guard phase != .ended else { return }
        agent.restart(local: local, remote: remote, now: now)
        settle(now: now)
    }

    /// Says goodbye by `close_notify`, where hands were shaken; no `ended` follows.
    package func close(now: MediaTime) {
        guard phase != .ended else { return }
        dtls?.close(now: now)
        flush()
        finish()
    }

    package func handleTimeout(now: MediaTime) {
        guard phase != .ended else { return }
        reportPath(now: now)
        if phase == .connecting, now >= connectDeadline { return end(.connectTimeout) }
        if now >= consentDeadline { return end(.consentLost) }
        agent.handleTimeout(now: now)
        dtls?.handleTimeout(now: now)
        settle(now: now)
    }

    /// What is to be done next; nil when that is all.
    package func nextOutput() -> Output? { outputs.next() }

    private var consentDeadline: MediaTime { agent.lastConsent.map { $0 + configuration.consentTimeout } ?? .never }

    private func attempt(_ body: () throws(DTLSFailure) -> Void) {
        do throws(DTLSFailure) {
            try body()
        } catch {
            end(.dtls(error))
        }
    }

    private func settle(now: MediaTime) {
        guard phase != .ended else { return }
        while let output = agent.nextOutput() {
            switch output {
            case .transmit(let datagram, let to): outputs.append(.transmit(datagram, to: to))
            case .connect(let address, let connection): outputs.append(.connect(address, connection: connection))
            case .disconnect(let connection): outputs.append(.disconnect(connection: connection))
            case .selected(let address): outputs.append(.selected(address))
            }
        }
        if agent.selected != nil, dtls?.isStarted == false {
            attempt { () throws(DTLSFailure) in try dtls?.start(now: now) }
        }
        guard phase != .ended else { return }
        let change = self.change()
        flush()
        switch change {
        case .none: break
        case .connected(let keys):
            phase = .connected
            outputs.append(.connected(keys))
        case .ended(let reason): return end(reason)
        }
        reportPath(now: now)
        deadline = min(
            agent.deadline, consentDeadline, dtls?.deadline ?? .never,
            phase == .connecting ? min(connectDeadline, pathDeadline) : .never)
    }

    private func reportPath(now: MediaTime) {
        guard phase == .connecting, now >= pathDeadline else { return }
        pathDeadline = .never
        outputs.append(
            .noPath(MediaPathReport(stage: agent.selected == nil ? .ice : .dtls, candidates: agent.tried)))
    }

    private func change() -> DTLSAssociation.Change {
        guard let keys = configuration.keys else { return dtls?.change() ?? DTLSAssociation.Change.none }
        // The relay asks back by the path that media will take, and takes none before it was answered.
        guard phase == .connecting, let selected = agent.selected, agent.answered == selected else { return .none }
        return .connected(keys)
    }

    private func flush() {
        dtls?.flush { datagram in
            guard let selected = agent.selected else { return false }
            outputs.append(.transmit(datagram, to: selected))
            return true
        }
    }

    private func end(_ reason: TransportEnd) {
        guard phase != .ended else { return }
        outputs.append(.ended(reason))
        finish()
    }

    private func finish() {
        phase = .ended
        deadline = .never
        dtls?.discard()
    }
}
