package import DTLS
package import MediaBase
package import SDP
package import SRTP

/// Transport of one peer, with its keys: ICE-lite with DTLS, or with keys from signalling. Has no sockets, clock or threads.
///
/// After each call the caller must drain `nextOutput()`. The DTLS connection is created only when the peer starts its handshake or, if the
/// relay is the DTLS client, when the peer has nominated a pair. A peer that never connects therefore costs little memory.
///
/// ```swift
/// let transport = try WebRTCTransport(configuration, now: now)
/// transport.receiveSTUN(datagram, from: source, now: now)
/// while let output = transport.nextOutput() { … }
/// // and when `transport.deadline` has come
/// transport.handleTimeout(now: now)
/// ```
package final class WebRTCTransport {
    package struct Configuration: Sendable {
        /// Credentials of the relay.
        package var credentials: ICECredentials
        package var peer: PeerDescription
        package var identity: DTLSIdentity
        /// DTLS role of the relay: server, unless the peer requires that role.
        package var role: DTLSConnection.Role
        /// Maximum time from the start to the end of the handshake.
        package var connectTimeout: MediaTime = .seconds(15)
        /// Time from the start until an unfinished handshake is reported; at most `connectTimeout`.
        package var pathTimeout: MediaTime = .seconds(10)
        /// Time without authenticated packets from the selected address after which the peer counts as gone (RFC 7675 section 5.1). Checks,
        /// SRTP, SRTCP and DTLS records all count, since many clients send no checks once they are connected.
        package var consentTimeout: MediaTime = .seconds(30)
        /// Keys from signalling, with an unpredictable number. If set, one check of the path replaces the DTLS handshake.
        package var signalled: (keys: DTLSKeys, nonce: UInt64)?
        /// Suites in order of preference.
        package var suites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80]

        package init(
            credentials: ICECredentials, peer: PeerDescription, identity: DTLSIdentity,
            role: DTLSConnection.Role = .server
        ) {
            self.credentials = credentials
            self.peer = peer
            self.identity = identity
            self.role = role
        }
    }

    package enum Output: Sendable {
        case transmit([UInt8], to: PeerAddress)
        /// Media is sent to this address from now on: the first nominated one, or a new one.
        case selected(PeerAddress)
        /// The handshake, or the path check that replaces it, is complete; once.
        case connected(DTLSKeys)
        /// Not connected by `pathTimeout`; at most once. The peer may still connect.
        case noPath(MediaPathFailure)
        /// The last output.
        case ended(TransportEnd)
    }

    private enum Phase {
        case connecting
        case connected
        case ended
    }

    private let role: DTLSConnection.Role
    private let consentTimeout: MediaTime
    private var agent: ICELiteAgent
    /// DTLS state, or `path` if the keys came by signalling.
    private var dtls: DTLSAssociation?
    @Boxed private var path: PathCheck? = nil
    private var phase = Phase.connecting
    private var outputs = OutputQueue<Output>()
    private let connectDeadline: MediaTime
    /// Time at which an unconnected peer is reported; `.never` afterwards.
    private var pathDeadline: MediaTime
    /// Source of the last DTLS datagram. Answers are sent there before any nomination.
    private var dtlsSource: PeerAddress?

    /// Time at which to call `handleTimeout`; may change with each call.
    package private(set) var deadline: MediaTime
    /// Number of datagrams from addresses without an authenticated check.
    package private(set) var strangers: UInt64 = 0

    /// - Throws: if the peer announced no fingerprint, or if there is no suite to offer.
    package init(_ configuration: Configuration, now: MediaTime) throws(DTLSFailure) {
        role = configuration.role
        consentTimeout = configuration.consentTimeout
        agent = ICELiteAgent(local: configuration.credentials, remoteFragment: configuration.peer.credentials.ufrag)
        if let signalled = configuration.signalled {
            path = PathCheck(
                keys: signalled.keys, nonce: signalled.nonce, local: configuration.credentials,
                remote: configuration.peer.credentials)
        } else {
            dtls = try DTLSAssociation(
                .init(
                    role: configuration.role, identity: configuration.identity,
                    peerFingerprints: configuration.peer.fingerprints, suites: configuration.suites))
        }
        connectDeadline = now + configuration.connectTimeout
        pathDeadline = now + min(configuration.pathTimeout, configuration.connectTimeout)
        deadline = pathDeadline
    }

    package var isConnected: Bool { phase == .connected }
    package var isEnded: Bool { phase == .ended }
    /// Destination of media; nil before any nomination.
    package var selected: PeerAddress? { agent.selected }
    /// Local credentials that are valid in checks now: two pairs during an ICE restart.
    package var credentials: [ICECredentials] { agent.credentials }
    package var statistics: ICEStatistics { agent.statistics }

    /// Returns whether an authenticated check came from an address, so that media from there may be handled.
    package func isValidated(_ address: PeerAddress) -> Bool { agent.isValidated(address) }

    /// Returns whether an address is the selected one and an authentic packet has arrived from there within `ICELiteAgent.silence`.
    package func hasHeard(from address: PeerAddress, now: MediaTime) -> Bool {
        guard phase != .ended, address == agent.selected, let last = agent.lastAuthentic else { return false }
        return now - last < ICELiteAgent.silence
    }

    /// Handles a STUN datagram that names one of `credentials` or comes from a validated address.
    package func receiveSTUN(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        guard phase != .ended else { return }
        if let path, phase == .connecting, path.isAnswered(by: datagram, from: source) {
            agent.confirm()
            connect(path.keys)
            return settle(now: now)
        }
        let reaction = agent.receive(datagram, from: source, now: now)
        if let answer = reaction.answer { outputs.append(.transmit(answer, to: source)) }
        if reaction.hasMoved, let selected = agent.selected { outputs.append(.selected(selected)) }
        if let dtls, role == .client, agent.selected != nil, !dtls.isStarted {
            attempt { () throws(DTLSFailure) in try self.dtls?.start(now: now) }
        }
        if let selected = agent.selected, phase == .connecting, let check = path?.ask(selected, now: now) {
            send(check, to: selected)
        }
        settle(now: now)
    }

    /// Handles a DTLS datagram. Counts it in `strangers` and drops it if its source is not validated.
    package func receiveDTLS(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        guard phase != .ended, dtls != nil else { return }
        guard agent.received(datagram.count, from: source) else {
            strangers += 1
            return
        }
        dtlsSource = source
        let before = dtls?.authenticRecords
        attempt { () throws(DTLSFailure) in try dtls?.receive(datagram, now: now) }
        if dtls?.authenticRecords != before { _ = agent.receivedAuthentic(from: source, now: now) }
        settle(now: now)
    }

    /// Records an authenticated new media packet (SRTP or SRTCP). It shows that the peer is alive if it came from the selected address.
    /// Called for every packet, so it only stores the time; `deadline` is updated by the next timeout.
    /// - Returns: true if the address is validated.
    @discardableResult
    package func received(from source: PeerAddress, now: MediaTime) -> Bool {
        if agent.receivedAuthentic(from: source, now: now) { return true }
        strangers += 1
        return false
    }

    /// Starts an ICE restart (RFC 8445 section 9). The previous credentials stay valid until the first check with the new ones.
    package func restart(local: ICECredentials, remote: ICECredentials, now: MediaTime) {
        guard phase != .ended else { return }
        agent.restart(local: local, remoteFragment: remote.ufrag)
        path?.restart(local: local, remote: remote)
    }

    /// Reports that the TCP connection of an address is closed.
    package func disconnected(_ address: PeerAddress, now: MediaTime) {
        guard phase != .ended else { return }
        if agent.forget(address), let selected = agent.selected { outputs.append(.selected(selected)) }
        settle(now: now)
    }

    /// Closes the transport. Sends `close_notify` if a DTLS connection exists; no other output follows, not even `ended`.
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
        if now >= consentDeadline {
            // A peer that is still alive, but whose packets are lost or fail authentication, learns from this that it must reconnect.
            dtls?.close(now: now)
            flush()
            return end(.consentLost)
        }
        dtls?.handleTimeout(now: now)
        if let (check, target) = path?.handleTimeout(now: now) { send(check, to: target) }
        settle(now: now)
    }

    /// Returns the next output; nil if there is none.
    package func nextOutput() -> Output? { outputs.next() }

    private var consentDeadline: MediaTime {
        agent.lastAuthentic.map { $0 + consentTimeout } ?? .never
    }

    private func attempt(_ body: () throws(DTLSFailure) -> Void) {
        do throws(DTLSFailure) {
            try body()
        } catch {
            end(.dtls(error))
        }
    }

    /// Completes each call: sends datagrams that may be sent now, and updates state and deadline.
    private func settle(now: MediaTime) {
        guard phase != .ended else { return }
        let change = dtls?.change() ?? DTLSAssociation.Change.none
        // The peer answered data that was sent to an address it nominated, so it is present there.
        if case .connected = change { agent.confirm() }
        flush()
        switch change {
        case .none: break
        case .connected(let keys): connect(keys)
        case .ended(let reason): return end(reason)
        }
        reportPath(now: now)
        deadline = min(
            consentDeadline, dtls?.deadline ?? path?.deadline ?? .never,
            phase == .connecting ? min(connectDeadline, pathDeadline) : .never)
    }

    private func reportPath(now: MediaTime) {
        guard phase == .connecting, now >= pathDeadline else { return }
        pathDeadline = .never
        let hasHeard = agent.statistics != ICEStatistics()
        outputs.append(.noPath(hasHeard ? .noHandshake(hasBegun: dtlsSource != nil) : .noPackets))
    }

    private func connect(_ keys: DTLSKeys) {
        phase = .connected
        // The path check is complete.
        path = nil
        outputs.append(.connected(keys))
    }

    private func send(_ datagram: [UInt8], to target: PeerAddress) {
        if agent.spend(datagram.count, to: target) { outputs.append(.transmit(datagram, to: target)) }
    }

    private func flush() {
        let target = agent.selected ?? dtlsSource
        dtls?.flush { datagram in
            guard let target, agent.spend(datagram.count, to: target) else { return false }
            outputs.append(.transmit(datagram, to: target))
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
        path = nil
    }
}
