import DTLS
import MediaBase
import SDP
import SRTP

/// DTLS part of a transport: a connection and its datagrams that could not be sent yet. The connection is created when it is first needed,
/// because it takes far more memory than the rest of the transport.
struct DTLSAssociation {
    /// Change of state since the last query.
    enum Change {
        case none
        case connected(DTLSKeys)
        case ended(TransportEnd)
    }

    struct Parameters {
        let role: DTLSConnection.Role
        let identity: DTLSIdentity
        let peerFingerprints: [CertificateFingerprint]
        let suites: [SRTPSuite]
    }

    /// Maximum number of queued datagrams: more than a flight. Beyond it the oldest is dropped, which is obsolete or will be retransmitted.
    static let heldLimit = 12

    private let parameters: Parameters
    private var connection: DTLSConnection?
    private var held: [[UInt8]] = []
    private var wasConnected = false

    init(_ parameters: Parameters) throws(DTLSFailure) {
        guard !parameters.peerFingerprints.isEmpty else { throw .noFingerprint }
        guard !parameters.suites.isEmpty else { throw .noSuite }
        self.parameters = parameters
    }

    var isStarted: Bool { connection != nil }
    var isHolding: Bool { !held.isEmpty }
    /// Number of authenticated new records of the peer; the end of its handshake counts as one.
    var authenticRecords: UInt64 { connection?.authenticRecords ?? 0 }

    /// Time of the next retransmission; nil also while datagrams are queued, since retransmitting unsent datagrams has no use.
    var deadline: MediaTime? { isHolding ? nil : connection?.deadline }

    /// Starts the handshake as a client, or prepares for it as a server.
    mutating func start(now: MediaTime) throws(DTLSFailure) {
        guard connection == nil else { return }
        let connection = try DTLSConnection(
            role: parameters.role, identity: parameters.identity, peerFingerprints: parameters.peerFingerprints,
            suites: parameters.suites)
        self.connection = connection
        connection.start(now: now)
    }

    /// Handles a datagram. A server creates its connection only if the datagram can be the start of a handshake.
    mutating func receive(_ datagram: UnsafeRawBufferPointer, now: MediaTime) throws(DTLSFailure) {
        if connection == nil {
            guard parameters.role == .server, Self.isClientHello(datagram) else { return }
            try start(now: now)
        }
        connection?.receive(datagram, now: now)
    }

    mutating func handleTimeout(now: MediaTime) {
        guard let deadline, deadline <= now else { return }
        connection?.handleTimeout(now: now)
    }

    mutating func close(now: MediaTime) { connection?.close(now: now) }

    /// Passes datagrams to `send` in order, until it returns false.
    mutating func flush(_ send: ([UInt8]) -> Bool) {
        while let datagram = connection?.nextDatagram() {
            if held.count >= Self.heldLimit { held.removeFirst() }
            held.append(datagram)
        }
        let sent = held.firstIndex { !send($0) } ?? held.count
        if sent == held.count { held = [] } else { held.removeFirst(sent) }
    }

    mutating func change() -> Change {
        guard let connection else { return .none }
        switch connection.state {
        case .handshaking: return .none
        case .connected(let keys):
            guard !wasConnected else { return .none }
            wasConnected = true
            return .connected(keys)
        case .failed(let failure): return .ended(.dtls(failure))
        case .closed: return .ended(.closedByPeer)
        }
    }

    /// Frees the connection.
    mutating func discard() {
        connection = nil
        held = []
    }

    /// Returns whether the datagram starts with a handshake record of epoch 0 that has a ClientHello, or its first fragment (RFC 6347
    /// sections 4.1 and 4.2.2).
    private static func isClientHello(_ datagram: UnsafeRawBufferPointer) -> Bool {
        datagram.count >= 25 && datagram[0] == 22 && datagram[1] == 0xfe && datagram[3] == 0 && datagram[4] == 0
            && datagram[13] == 1
    }
}
