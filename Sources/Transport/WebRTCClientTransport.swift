package import DTLS
package import MediaBase
package import SDP
package import SRTP

/// Client side of a WebRTC transport to a relay: full ICE (controlling) and DTLS, with the same interface style as `WebRTCTransport`.
/// Generates load for tests and measurements, with any relay that is reached by WHIP or WHEP.
///
/// The caller owns a UDP socket and numbered TCP connections, which carry framed datagrams (`StreamFraming`).
///
/// ```swift
/// let client = try WebRTCClientTransport(configuration, now: now)
/// for candidate in answer.candidates { client.add(candidate, now: now) }
/// while let output = client.nextOutput() { … }
/// ```
package final class WebRTCClientTransport {
    package struct Configuration: Sendable {
        /// Credentials of both sides, and timing of checks.
        package var ice: ICEFullAgent.Configuration
        /// Fingerprints of the relay's certificate.
        package var fingerprints: [CertificateFingerprint]
        package var identity: DTLSIdentity
        package var role: DTLSConnection.Role
        /// Maximum time from the start to the end of the handshake.
        package var connectTimeout = MediaTime.seconds(15)
        /// Time from the start until an unfinished handshake is reported; at most `connectTimeout`.
        package var pathTimeout = MediaTime.seconds(10)
        /// Time without an answer to a check after which the relay counts as gone (RFC 7675 section 5.1).
        package var consentTimeout = MediaTime.seconds(30)
        package var suites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80]
        /// Keys from signalling; if set, there is no DTLS handshake.
        package var keys: DTLSKeys?

        /// - Parameter peer: peer description from the relay's answer.
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
        /// Open a TCP connection, then call `connected(connection:now:)` or `disconnected(connection:now:)`.
        case connect(SocketAddress, connection: Int32)
        case disconnect(connection: Int32)
        /// Media is sent to this address from now on.
        case selected(PeerAddress)
        /// The handshake is complete or, with keys from signalling, the relay has checked the path; once.
        case connected(DTLSKeys)
        /// Not connected by `pathTimeout`; at most once. The path may still be established.
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
    /// DTLS state; nil if the keys came by signalling.
    private var dtls: DTLSAssociation?
    private var phase = Phase.connecting
    private var outputs = OutputQueue<Output>()
    private let connectDeadline: MediaTime
    /// Time at which an unfinished path is reported; `.never` afterwards.
    private var pathDeadline: MediaTime
    /// Time at which to call `handleTimeout`; may change with each call.
    package private(set) var deadline: MediaTime

    /// - Parameter random: source of transaction ids, the tie breaker and the intervals of consent checks; a seeded one is for tests only.
    /// - Throws: if the relay announced no fingerprint, or if there is no suite to offer.
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
    /// UDP addresses of the relay's candidates.
    package var candidates: [SocketAddress] { agent.tried.filter { !$0.isTCP }.map(\.address) }
    /// Time of the relay's last answer to a check on the media path.
    package var lastConsent: MediaTime? { agent.lastConsent }

    /// Adds a candidate of the relay: UDP, or TCP passive, with a numeric address.
    /// - Returns: false if the candidate cannot be used.
    @discardableResult
    package func add(_ candidate: ICECandidate, now: MediaTime) -> Bool {
        guard phase != .ended else { return false }
        defer { settle(now: now) }
        return agent.add(candidate, now: now)
    }

    /// Reports that a connection requested by `Output.connect` is established.
    package func connected(connection: Int32, now: MediaTime) {
        guard phase != .ended else { return }
        agent.connected(connection: connection, now: now)
        settle(now: now)
    }

    /// Reports that a connection could not be established, or was closed.
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

    /// Handles a DTLS datagram. Drops it if its source is not a candidate of the relay.
    package func receiveDTLS(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        guard phase != .ended, agent.isKnown(source) else { return }
        attempt { () throws(DTLSFailure) in try dtls?.receive(datagram, now: now) }
        settle(now: now)
    }

    /// Checks all candidates again after the local socket or the network has changed. Media is sent to the selected address until another
    /// one is selected.
    package func rebind(now: MediaTime) {
        guard phase != .ended else { return }
        agent.rebind(now: now)
        settle(now: now)
    }

    /// Starts an ICE restart (RFC 8445 section 9) with new credentials of both sides.
    /// - Parameter candidates: candidates of the relay after the restart, to `add` afterwards; the others are discarded. Nil keeps all.
    package func restart(
        local: ICECredentials, remote: ICECredentials, keeping candidates: [ICECandidate]? = nil, now: MediaTime
    ) {
        guard phase != .ended else { return }
        agent.restart(local: local, remote: remote, keeping: candidates, now: now)
        settle(now: now)
    }

    /// Closes the transport. Sends `close_notify` if a DTLS connection exists; no `ended` output follows.
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

    /// Returns the next output; nil if there is none.
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
        // The relay checks the path that media will take, and accepts no media before that check was answered.
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
