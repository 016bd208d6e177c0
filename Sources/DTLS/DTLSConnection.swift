import COpenSSL
package import MediaBase
package import SRTP

/// DTLS 1.2 association that yields SRTP keys (RFC 5764): datagrams in, datagrams and keys out. Has no socket and no clock, and is confined
/// to one thread.
///
/// ```swift
/// let connection = try DTLSConnection(role: .server, identity: identity, peerFingerprints: peer.fingerprints)
/// connection.receive(datagram, now: now)
/// while let answer = connection.nextDatagram() { send(answer) }
/// if case .connected(let keys) = connection.state { ... }
/// ```
///
/// Call `handleTimeout` at `deadline`, and drain `nextDatagram` after every call. No input of a peer makes it trap or grow without limit:
/// datagrams that are not DTLS are ignored, all others are bounded.
package final class DTLSConnection {
    package enum Role: Sendable {
        /// Starts the handshake: `a=setup:active`.
        case client
        /// `a=setup:passive`.
        case server
    }

    package enum State: Sendable, Equatable {
        case handshaking
        case connected(DTLSKeys)
        case failed(DTLSFailure)
        /// Closed by `close_notify` of either side.
        case closed
    }

    package let role: Role
    package private(set) var state: State = .handshaking
    /// Time at which the last flight must be retransmitted; nil if no answer is pending.
    package private(set) var deadline: MediaTime?
    /// Number of flight retransmissions.
    package private(set) var retransmissions = 0
    /// Number of authenticated new records of the peer: the end of its handshake, and application data, which is discarded.
    package private(set) var authenticRecords: UInt64 = 0

    private let identity: DTLSIdentity
    private let check: PeerCheck
    private let profiles: String
    private let mtu: Int
    private let pipe: DatagramPipe
    private var gate = DatagramGate()
    /// OpenSSL connection. Created for the first datagram in either direction, so that a peer that never connects takes no OpenSSL memory,
    /// and freed at the end of the handshake.
    private var ssl: OpaquePointer?
    /// Reads the peer's records after the handshake.
    private var reader: DTLSRecordReader?
    private var timeout = DTLSConnection.firstTimeout
    private var silentTimeouts = 0

    /// Time until the first retransmission of a flight; doubles each time. RFC 6347 section 4.2.4.1 recommends 1 s but allows less for
    /// real-time media, which cannot start before the handshake is complete.
    package static let firstTimeout = MediaTime.milliseconds(100)
    package static let longestTimeout = MediaTime.milliseconds(1_600)
    /// Maximum number of retransmissions of a flight.
    package static let mostRetransmissions = 20

    /// - Parameters:
    ///   - peerFingerprints: the peer's certificate must have one of them.
    ///   - suites: SRTP suites to offer or accept, in order of preference.
    ///   - mtu: maximum length of a UDP payload in bytes, 256...4000.
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

    /// Starts the handshake as a client. A server waits for its peer.
    package func start(now: MediaTime) {
        guard role == .client, state == .handshaking, ssl == nil else { return }
        run(nil, now: now)
    }

    /// Handles a datagram of the peer, whose first byte is 20...63 (RFC 7983).
    package func receive(_ datagram: UnsafeRawBufferPointer, now: MediaTime) {
        switch state {
        case .handshaking:
            // A client that has sent nothing expects no answer.
            guard role == .server || ssl != nil else { return }
            guard gate.hasRoom else { return end(.failed(.tooManyDatagrams(limit: DatagramGate.mostDatagrams))) }
            guard let admitted = gate.admit(datagram) else { return }
            admitted.withUnsafeBytes { run($0, now: now) }
        case .connected:
            for record in DatagramGate.encryptedRecords(datagram) { handle(record) }
        case .failed, .closed:
            return
        }
    }

    /// Retransmits the last flight if it is due.
    package func handleTimeout(now: MediaTime) {
        guard state == .handshaking, let deadline, now >= deadline else { return }
        guard silentTimeouts < Self.mostRetransmissions else { return end(.failed(.timedOut)) }
        silentTimeouts += 1
        retransmissions += 1
        timeout = min(timeout + timeout, Self.longestTimeout)
        self.deadline = now + timeout
        pipe.resendFlight()
    }

    /// Ends the association. A connected peer gets a `close_notify`.
    package func close(now: MediaTime) {
        switch state {
        case .handshaking, .connected: break
        case .failed, .closed: return
        }
        if reader == nil { pipe.withDatagram(nil) { sendCloseNotify() } } else { pipe.sendCloseNotify() }
        end(.closed)
    }

    /// Returns the next datagram to send; nil if there is none.
    package func nextDatagram() -> [UInt8]? { pipe.next() }

    private func run(_ datagram: UnsafeRawBufferPointer?, now: MediaTime) {
        guard let ssl = connection() else { return end(.failed(.takeLibraryError("no memory for a connection"))) }
        // Other code in this thread may have left errors in OpenSSL's error queue.
        ERR_clear_error()
        SSL_alloc_buffers(ssl)
        pipe.withDatagram(datagram) {
            if state == .handshaking { handshake(ssl, now: now) }
            if case .connected = state { drain(ssl) }
        }
        // Frees 32 KiB per connection that are needed only during calls.
        SSL_free_buffers(ssl)
        if case .failed = state { return }
        if pipe.isBroken { end(.failed(.library("a record could not be sealed"))) }
        if case .connected = state { release(ssl, after: datagram) }
    }

    /// Frees OpenSSL's connection: from now on the association only needs the keys of both sides.
    /// - Parameter datagram: the last one that OpenSSL has read.
    private func release(_ ssl: OpaquePointer, after datagram: UnsafeRawBufferPointer?) {
        reader = DTLSRecordReader(ssl, peer: role == .client ? .server : .client)
        guard reader != nil, pipe.detach() else {
            return end(.failed(.library("the keys of records could not be derived")))
        }
        if let datagram {
            for record in DatagramGate.encryptedRecords(datagram) { _ = reader?.read(record) }
        }
        SSL_free(ssl)
        self.ssl = nil
    }

    /// Handles a record after the handshake. Data channels are not supported: application data only shows that the peer is alive.
    private func handle(_ record: DTLSRecord) {
        guard case .connected = state, let content = reader?.read(record) else { return }
        switch content {
        case .data: authenticRecords &+= 1
        case .finished: if role == .server { pipe.resendFlight() }
        case .closeNotify:
            pipe.sendCloseNotify()
            end(.closed)
        case .alert(let number): end(.failed(.alert(number)))
        case .other: break
        }
    }

    private func handshake(_ ssl: OpaquePointer, now: MediaTime) {
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            do throws(DTLSFailure) {
                state = .connected(try DTLSKeys(exporting: ssl, role: role))
                authenticRecords &+= 1
                deadline = nil
                // A server keeps its last flight, which it has just written: it is repeated if the client lacks it.
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

    /// Reads the records that follow the end of the handshake in the same datagram.
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
                // Only an alert of the peer ends an association that media depends on.
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
        // This function returns 0 on success.
        guard SSL_set_tlsext_use_srtp(new, profiles) == 0, SSL_ctrl(new, SSL_CTRL_SET_MTU, mtu, nil) > 0 else {
            SSL_free(new)
            return nil
        }
        // Limits the memory for a fragmented message. A certificate has a few hundred bytes, a chain a few thousand.
        SSL_ctrl(new, SSL_CTRL_SET_MAX_CERT_LIST, 16_384, nil)
        // OpenSSL's own timer reads the wall clock. It is set so far ahead that it never fires; `deadline` replaces it.
        DTLS_set_timer_cb(new) { _, _ in 3_600_000_000 }
        check.attach(to: new)
        pipe.attach(to: new)
        if role == .client { SSL_set_connect_state(new) } else { SSL_set_accept_state(new) }
        ssl = new
        return new
    }
}
