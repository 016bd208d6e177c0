import COpenSSL
package import MediaBase
package import SRTP

/// One DTLS 1.2 association that yields SRTP keys (RFC 5764): datagrams in, datagrams and keys out. It has no socket and no clock and
/// is confined to one thread.
///
/// ```swift
/// let connection = try DTLSConnection(role: .server, identity: identity, peerFingerprints: peer.fingerprints)
/// connection.receive(datagram, now: now)
/// while let answer = connection.nextDatagram() { send(answer) }
/// if case .connected(let keys) = connection.state { ... }
/// ```
///
/// Call `handleTimeout` when `deadline` has come, and take all of `nextDatagram` after every call. Nothing that a peer sends makes it
/// trap or grow: what is no DTLS is ignored, the rest is bounded.
package final class DTLSConnection {
    package enum Role: Sendable {
        /// Speaks first: `a=setup:active`.
        case client
        /// `a=setup:passive`.
        case server
    }

    package enum State: Sendable, Equatable {
        case handshaking
        case connected(DTLSKeys)
        case failed(DTLSFailure)
        /// Ended by either side's `close_notify`.
        case closed
    }

    package let role: Role
    package private(set) var state: State = .handshaking
    /// When the last flight is to be sent again; nil while nothing waits for an answer.
    package private(set) var deadline: MediaTime?
    /// Times that a flight was sent again.
    package private(set) var retransmissions = 0
    /// Records of the peer's that were authentic and new: the end of its handshake, and application data, which is not kept.
    package private(set) var authenticRecords: UInt64 = 0

    private let identity: DTLSIdentity
    private let check: PeerCheck
    private let profiles: String
    private let mtu: Int
    private let pipe: DatagramPipe
    private var gate = DatagramGate()
    /// Made when the first datagram goes or comes: a peer that never speaks costs no memory of OpenSSL's.
    private var ssl: OpaquePointer?
    private var timeout = DTLSConnection.firstTimeout
    private var silentTimeouts = 0

    /// Wait before a flight is sent again; doubles each time. RFC 6347 section 4.2.4.1 advises a second but lets real-time media be
    /// quicker: media cannot start before.
    package static let firstTimeout = MediaTime.milliseconds(100)
    package static let longestTimeout = MediaTime.milliseconds(1_600)
    /// A flight goes out again so often at most.
    package static let mostRetransmissions = 20

    /// - Parameters:
    ///   - peerFingerprints: the peer's certificate must have one of them.
    ///   - suites: SRTP suites to agree on, the best first.
    ///   - mtu: bytes of a UDP payload at most, 256...4000.
    package init(
        role: Role, identity: DTLSIdentity, peerFingerprints: [CertificateFingerprint],
        suites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80], mtu: Int = 1_200
    ) throws(DTLSFailure) {
        guard !peerFingerprints.isEmpty else { throw .noFingerprint }
        guard !suites.isEmpty else { throw .noSuite }
        self.role = role
        self.identity = identity
        self.mtu = min(max(mtu, 256), 4_000)
        check = PeerCheck(peerFingerprints)
        profiles = suites.map(\.profileName).joined(separator: ":")
        pipe = try DatagramPipe(role: role, mtu: self.mtu)
    }

    deinit { SSL_free(ssl) }

    /// Lets a client speak; a server waits for its peer.
    package func start(now: MediaTime) {
        guard role == .client, state == .handshaking, ssl == nil else { return }
        run(nil, now: now)
    }

    /// A datagram of the peer: its first byte is 20...63 (RFC 7983).
    package func receive(_ datagram: UnsafeRawBufferPointer, now: MediaTime) {
        switch state {
        case .handshaking:
            // A client that has not spoken has nothing to be answered.
            guard role == .server || ssl != nil else { return }
            guard gate.hasRoom else { return end(.failed(.tooManyDatagrams(limit: DatagramGate.mostDatagrams))) }
            guard let admitted = gate.admit(datagram) else { return }
            admitted.withUnsafeBytes { run($0, now: now) }
        case .connected:
            guard let admitted = gate.admitConnected(datagram) else { return }
            admitted.withUnsafeBytes { run($0, now: now) }
        case .failed, .closed:
            return
        }
    }

    /// Sends the last flight again where its time has come.
    package func handleTimeout(now: MediaTime) {
        guard state == .handshaking, let deadline, now >= deadline else { return }
        guard silentTimeouts < Self.mostRetransmissions else { return end(.failed(.timedOut)) }
        silentTimeouts += 1
        retransmissions += 1
        timeout = min(timeout + timeout, Self.longestTimeout)
        self.deadline = now + timeout
        pipe.resendFlight()
    }

    /// Ends the association; a peer that was connected is told (`close_notify`).
    package func close(now: MediaTime) {
        switch state {
        case .handshaking, .connected: break
        case .failed, .closed: return
        }
        pipe.withDatagram(nil) { sendCloseNotify() }
        end(.closed)
    }

    /// What is to be sent, one datagram a call, until nil.
    package func nextDatagram() -> [UInt8]? { pipe.next() }

    private func run(_ datagram: UnsafeRawBufferPointer?, now: MediaTime) {
        guard let ssl = connection() else { return end(.failed(.takeLibraryError("no memory for a connection"))) }
        // Other users of OpenSSL in this thread may have left notes behind, which would be taken for ours.
        ERR_clear_error()
        SSL_alloc_buffers(ssl)
        pipe.withDatagram(datagram) {
            if state == .handshaking { handshake(ssl, now: now) }
            if case .connected = state { drain(ssl) }
        }
        // 32 KiB a connection that only handshakes use.
        SSL_free_buffers(ssl)
        if case .failed = state { return }
        if pipe.isBroken { end(.failed(.library("a record could not be sealed"))) }
    }

    private func handshake(_ ssl: OpaquePointer, now: MediaTime) {
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            do throws(DTLSFailure) {
                state = .connected(try DTLSKeys(exporting: ssl, role: role))
                authenticRecords &+= 1
                deadline = nil
                // The server's last flight is OpenSSL's to repeat, when it sees that the client lacks it.
                pipe.dropFlight()
            } catch {
                sendCloseNotify()
                end(.failed(error))
            }
            return
        }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            guard pipe.wroteFlight else { return }
            timeout = Self.firstTimeout
            silentTimeouts = 0
            deadline = now + timeout
        case SSL_ERROR_ZERO_RETURN:
            end(.closed)
        default:
            let failure = DTLSFailure.takeProtocolError()
            end(.failed(check.failure ?? failure))
        }
    }

    /// Reads what is behind the handshake: alerts, the peer's last flight once more if ours was lost, and application data. No data channel
    /// is spoken: data is a sign of life and nothing else.
    private func drain(_ ssl: OpaquePointer) {
        while true {
            let result = withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 16) {
                SSL_read(ssl, $0.baseAddress, Int32($0.count))
            }
            if result > 0 {
                authenticRecords &+= 1
                continue
            }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
            case SSL_ERROR_ZERO_RETURN:
                sendCloseNotify()
                end(.closed)
            default:
                let failure = DTLSFailure.takeProtocolError()
                // What is not the peer's word does not end an association that media depends on.
                if case .alert = failure { end(.failed(failure)) }
            }
            return
        }
    }

    private func sendCloseNotify() {
        guard let ssl, SSL_is_init_finished(ssl) == 1 else { return }
        SSL_alloc_buffers(ssl)
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func end(_ state: State) {
        self.state = state
        deadline = nil
        pipe.dropFlight()
    }

    private func connection() -> OpaquePointer? {
        if let ssl { return ssl }
        guard let new = identity.makeConnection(role) else { return nil }
        // 0 is success here.
        guard SSL_set_tlsext_use_srtp(new, profiles) == 0, SSL_ctrl(new, SSL_CTRL_SET_MTU, mtu, nil) > 0 else {
            SSL_free(new)
            return nil
        }
        // Bounds what OpenSSL gathers of a message in pieces; a certificate is a few hundred bytes, a chain a few thousand.
        SSL_ctrl(new, SSL_CTRL_SET_MAX_CERT_LIST, 16_384, nil)
        // OpenSSL's own timer, which reads the wall clock, is put so far off that it never acts: `deadline` takes its place.
        DTLS_set_timer_cb(new) { _, _ in 3_600_000_000 }
        check.attach(to: new)
        pipe.attach(to: new)
        if role == .client { SSL_set_connect_state(new) } else { SSL_set_accept_state(new) }
        ssl = new
        return new
    }
}
