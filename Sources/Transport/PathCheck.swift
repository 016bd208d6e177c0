import DTLS
import MediaBase
import SDP
import STUN

/// How a peer whose keys came by signalling shows that it reads what goes to the address that it nominated: it answers one check of the
/// relay's (RFC 8445 section 7.3). Who shakes hands has shown it by that; else the relay's media could be aimed at somebody.
struct PathCheck {
    /// From a check to the first repetition, which then doubles.
    private static let firstWait = MediaTime.milliseconds(100)
    /// PRIORITY of a peer reflexive candidate (RFC 8445 sections 5.1.2.1 and 7.1.1); nobody chooses by it.
    private static let priority: UInt32 = 110 << 24 | 65_535 << 8 | 255

    let keys: DTLSKeys
    private var local: ICECredentials
    private var remote: ICECredentials
    /// What nobody can guess; transactions are made from it in a way that does not lead back to it, however many of them somebody has seen.
    private let secret: [UInt8]
    /// Checks so far.
    private var count: UInt64 = 0
    /// Says nothing of transactions (RFC 8445 section 16.1).
    private let tieBreaker: UInt64
    private var check: ConnectivityCheck?
    private(set) var target: PeerAddress?

    init(keys: DTLSKeys, nonce: UInt64, local: ICECredentials, remote: ICECredentials) {
        self.keys = keys
        secret = withUnsafeBytes(of: nonce.bigEndian) { Array($0) }
        tieBreaker = Self.number(Self.digest(secret, 0), from: 0, count: 8)
        self.local = local
        self.remote = remote
    }

    var deadline: MediaTime? { check?.due }

    mutating func restart(local: ICECredentials, remote: ICECredentials) {
        (self.local, self.remote) = (local, remote)
        target = nil
        check = nil
    }

    /// - Returns: what to send; nil where that address is being asked already.
    mutating func ask(_ address: PeerAddress, now: MediaTime) -> [UInt8]? {
        guard target != address || check == nil else { return nil }
        target = address
        count += 1
        let digest = Self.digest(secret, count)
        let transaction = STUNTransactionID(
            high: UInt32(truncatingIfNeeded: Self.number(digest, from: 0, count: 4)),
            low: Self.number(digest, from: 4, count: 8))
        let attributes: [STUNAttribute] = [
            .username(remote.ufrag + ":" + local.ufrag), .priority(Self.priority), .iceControlled(tieBreaker),
        ]
        let key = Array(remote.password.utf8)
        let datagram = STUNMessage(.request, transaction: transaction, attributes: attributes)
            .bytes(integrity: { MessageAuthentication.hmacSHA1(key: key, $0) })
        check = ConnectivityCheck(
            transaction, isNomination: false, isControlling: false, datagram: datagram, firstWait: Self.firstWait,
            isReliable: address.isTCP, now: now)
        return datagram
    }

    /// Of each number another 20 bytes.
    private static func digest(_ secret: [UInt8], _ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { MessageAuthentication.hmacSHA1(key: secret, $0) }
    }

    private static func number(_ bytes: [UInt8], from start: Int, count: Int) -> UInt64 {
        bytes[start..<(start + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether the datagram is the answer that was waited for.
    func isAnswered(by datagram: UnsafeRawBufferPointer, from source: PeerAddress) -> Bool {
        guard source == target, let check, let message = try? STUNMessage(parsing: datagram),
            message.messageClass == .success, message.method == .binding, message.transaction == check.transaction
        else { return false }
        let key = Array(remote.password.utf8)
        return message.verifyFingerprint(of: datagram)
            && message.verifyIntegrity(of: datagram, hmac: { MessageAuthentication.hmacSHA1(key: key, $0) })
    }

    /// - Returns: what to send again.
    mutating func handleTimeout(now: MediaTime) -> (datagram: [UInt8], to: PeerAddress)? {
        guard var check, check.due <= now, let target else { return nil }
        guard check.repeats(now: now) else {
            self.check = nil
            return nil
        }
        self.check = check
        return (check.datagram, target)
    }
}
