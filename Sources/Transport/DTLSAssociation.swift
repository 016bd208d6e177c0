import DTLS
import MediaBase
import SDP
import SRTP

/// The DTLS half of a transport: a connection that is made when it is first needed, as it takes far more memory than all the rest, and
/// the datagrams of its that could not be sent yet.
struct DTLSAssociation {
    /// What became of it since it was asked last.
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

    /// Datagrams that wait at most: more than a flight. Beyond it the oldest goes, which is obsolete or will be sent again.
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
    /// Records of the peer's that were authentic and new; the end of its handshake counts as one.
    var authenticRecords: UInt64 { connection?.authenticRecords ?? 0 }

    /// Nil also while datagrams wait: repeating what was not sent helps nobody.
    var deadline: MediaTime? { isHolding ? nil : connection?.deadline }

    /// Begins the handshake, or makes ready for the peer's beginning it.
    mutating func start(now: MediaTime) throws(DTLSFailure) {
        guard connection == nil else { return }
        let connection = try DTLSConnection(
            role: parameters.role, identity: parameters.identity, peerFingerprints: parameters.peerFingerprints,
            suites: parameters.suites)
        self.connection = connection
        connection.start(now: now)
    }

    /// Takes a datagram. A server comes to life by what can be the start of a handshake only.
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

    /// Hands over what is to be sent, in order, as long as `send` takes it.
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

    /// A handshake record of epoch 0 with a ClientHello, or the first part of one, in it (RFC 6347 sections 4.1 and 4.2.2).
    private static func isClientHello(_ datagram: UnsafeRawBufferPointer) -> Bool {
        datagram.count >= 25 && datagram[0] == 22 && datagram[1] == 0xfe && datagram[3] == 0 && datagram[4] == 0
            && datagram[13] == 1
    }
}
