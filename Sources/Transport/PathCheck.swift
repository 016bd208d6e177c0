internal import DTLS
internal import MediaBase
internal import SDP
internal import STUN

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
    /// What nobody can guess.
    private var nonce: UInt64
    private var check: ConnectivityCheck?
    private(set) var target: PeerAddress?

    init(keys: DTLSKeys, nonce: UInt64, local: ICECredentials, remote: ICECredentials) {
        self.keys = keys
        self.nonce = nonce
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
        // One step of a sequence that begins where nobody knows (Knuth's generator): no two checks have one transaction.
        nonce = nonce &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let transaction = STUNTransactionID(high: UInt32(truncatingIfNeeded: nonce >> 16), low: nonce ^ nonce >> 33)
        let attributes: [STUNAttribute] = [
            .username(remote.ufrag + ":" + local.ufrag), .priority(Self.priority), .iceControlled(nonce),
        ]
        let key = Array(remote.password.utf8)
        let datagram = STUNMessage(.request, transaction: transaction, attributes: attributes)
            .bytes(integrity: { MessageAuthentication.hmacSHA1(key: key, $0) })
        check = ConnectivityCheck(
            transaction, isNomination: false, isControlling: false, datagram: datagram, firstWait: Self.firstWait,
            isReliable: address.isTCP, now: now)
        return datagram
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
