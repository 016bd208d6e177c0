package import DTLS
package import MediaBase
package import SDP
package import SRTP

/// One peer's path to the relay and its keys: ICE-lite and DTLS, or keys that came by signalling; without sockets, clock or threads.
///
/// Each call is followed by draining `nextOutput()`. Until the peer begins its handshake, or has nominated a pair where the relay begins
/// it, there is no DTLS connection: a peer that never comes costs little.
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
        /// The relay's.
        package var credentials: ICECredentials
        package var peer: PeerDescription
        package var identity: DTLSIdentity
        /// The client begins the handshake. A relay is the server unless the peer wants to be it.
        package var role: DTLSConnection.Role
        /// From the start to the end of the handshake.
        package var connectTimeout: MediaTime = .seconds(15)
        /// From the start to the report of a handshake that is not done; at most `connectTimeout`.
        package var pathTimeout: MediaTime = .seconds(10)
        /// A peer of which nothing authentic comes for this long, from the address that media goes to, is gone (RFC 7675 section 5.1).
        /// Checks, SRTP, SRTCP and DTLS records count alike: many clients send no checks once they are connected.
        package var consentTimeout: MediaTime = .seconds(30)
        /// Keys that came by signalling: no hands are shaken, one check of the path is made instead. With a number that nobody can guess.
        package var signalled: (keys: DTLSKeys, nonce: UInt64)?
        /// The preferred one first.
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
        /// Media goes there from now on: the first nominated address, or another one.
        case selected(PeerAddress)
        /// The handshake is done, or what takes its place; once.
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

    private let configuration: Configuration
    private var agent: ICELiteAgent
    /// One of the two.
    private var dtls: DTLSAssociation?
    private var path: PathCheck?
    private var phase = Phase.connecting
    private var outputs = OutputQueue<Output>()
    private let connectDeadline: MediaTime
    /// Until a peer that has not connected was reported.
    private var pathDeadline: MediaTime
    /// Where the last DTLS datagram came from, which is where answers go before any nomination.
    private var dtlsSource: PeerAddress?

    /// When `handleTimeout` is to be called next; it may change with each call.
    package private(set) var deadline: MediaTime
    /// Datagrams from addresses that no authentic check has come from.
    package private(set) var strangers: UInt64 = 0

    /// - Throws: where the peer announced no fingerprint, or there is no suite to offer.
    package init(_ configuration: Configuration, now: MediaTime) throws(DTLSFailure) {
        self.configuration = configuration
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
    /// Where media goes; nil before any nomination.
    package var selected: PeerAddress? { agent.selected }
    /// The local credentials that checks may be made with now: two pairs while a restart is under way.
    package var credentials: [ICECredentials] { agent.credentials }
    package var statistics: ICEStatistics { agent.statistics }

    /// Whether an authentic check came from an address, so that media from there may be looked at.
    package func isValidated(_ address: PeerAddress) -> Bool { agent.isValidated(address) }

    /// Takes a STUN datagram that names one of `credentials`, or comes from a validated address.
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
        if let dtls, configuration.role == .client, agent.selected != nil, !dtls.isStarted {
            attempt { () throws(DTLSFailure) in try self.dtls?.start(now: now) }
        }
        if let selected = agent.selected, phase == .connecting, let check = path?.ask(selected, now: now) {
            send(check, to: selected)
        }
        settle(now: now)
    }

    /// Takes a DTLS datagram; one from an address that is not validated is counted and dropped.
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

    /// Notes that a packet of media (SRTP or SRTCP) that is authentic and new came from an address. It is a sign of life if media goes
    /// to that address. Called for every packet: it stores the time, and `deadline` follows when it has come.
    /// - Returns: whether the address is validated.
    @discardableResult
    package func received(from source: PeerAddress, now: MediaTime) -> Bool {
        if agent.receivedAuthentic(from: source, now: now) { return true }
        strangers += 1
        return false
    }

    /// ICE restart (RFC 8445 section 9). The credentials of before stay valid until the first check with the new ones.
    package func restart(local: ICECredentials, remote: ICECredentials, now: MediaTime) {
        guard phase != .ended else { return }
        agent.restart(local: local, remoteFragment: remote.ufrag)
        path?.restart(local: local, remote: remote)
    }

    /// The TCP connection that an address stands for is closed.
    package func disconnected(_ address: PeerAddress, now: MediaTime) {
        guard phase != .ended else { return }
        if agent.forget(address), let selected = agent.selected { outputs.append(.selected(selected)) }
        settle(now: now)
    }

    /// Says goodbye by `close_notify`, where hands were shaken. There is no further output, `ended` among them, after what that takes.
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
            // A peer that is still there, and whose packets are lost or not authentic, learns at once that it has to connect again.
            dtls?.close(now: now)
            flush()
            return end(.consentLost)
        }
        dtls?.handleTimeout(now: now)
        if let (check, target) = path?.handleTimeout(now: now) { send(check, to: target) }
        settle(now: now)
    }

    /// What is to be done next; nil when that is all.
    package func nextOutput() -> Output? { outputs.next() }

    private var consentDeadline: MediaTime {
        agent.lastAuthentic.map { $0 + configuration.consentTimeout } ?? .never
    }

    private func attempt(_ body: () throws(DTLSFailure) -> Void) {
        do throws(DTLSFailure) {
            try body()
        } catch {
            end(.dtls(error))
        }
    }

    /// What follows from a call: datagrams that may be sent now, a change of state, the next deadline.
    private func settle(now: MediaTime) {
        guard phase != .ended else { return }
        let change = dtls?.change() ?? DTLSAssociation.Change.none
        // The peer answered what was sent to an address that it named, so it is there.
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
        // It has done what it was for.
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
