import DTLS
import MediaBase
import SDP
import STUN

/// Check of the path to a peer whose keys came by signalling. The peer shows that it receives data at the address it nominated by answering
/// one check of the relay (RFC 8445 section 7.3). With DTLS, the handshake shows this. Without such proof, the relay's media could be
/// directed at a third party.
struct PathCheck {
    /// Time from a check to its first retransmission; doubles afterwards.
    private static let firstWait = MediaTime.milliseconds(100)
    /// PRIORITY of a peer reflexive candidate (RFC 8445 sections 5.1.2.1 and 7.1.1). No agent makes a choice by it.
    private static let priority: UInt32 = 110 << 24 | 65_535 << 8 | 255

    let keys: DTLSKeys
    private var local: ICECredentials
    private var remote: ICECredentials
    /// Secret number. Transaction ids are derived from it one-way, so that it cannot be computed from them.
    private let secret: [UInt8]
    /// Number of checks so far.
    private var count: UInt64 = 0
    /// Tie breaker (RFC 8445 section 16.1). Reveals nothing about the transaction ids.
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

    /// Starts a check of an address.
    /// - Returns: the datagram to send; nil if that address is being checked already.
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

    /// Returns 20 bytes that differ for each number.
    private static func digest(_ secret: [UInt8], _ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { MessageAuthentication.hmacSHA1(key: secret, $0) }
    }

    private static func number(_ bytes: [UInt8], from start: Int, count: Int) -> UInt64 {
        bytes[start..<(start + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns whether the datagram is the answer to the current check.
    func isAnswered(by datagram: UnsafeRawBufferPointer, from source: PeerAddress) -> Bool {
        guard source == target, let check, let message = try? STUNMessage(parsing: datagram),
            message.messageClass == .success, message.method == .binding, message.transaction == check.transaction
        else { return false }
        let key = Array(remote.password.utf8)
        return message.verifyFingerprint(of: datagram)
            && message.verifyIntegrity(of: datagram, hmac: { MessageAuthentication.hmacSHA1(key: key, $0) })
    }

    /// Returns the check if it must be retransmitted now.
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
