import DTLS
import MediaBase
import SDP
import STUN
import Transport

/// Connectivity checks of a peer of a lite agent, and forged ones.
struct Checks {
    let local: ICECredentials
    let remote: ICECredentials
    private(set) var count: UInt64 = 0

    /// - Parameters:
    ///   - local: credentials of the agent that is checked.
    ///   - remote: credentials of the peer that checks it.
    init(local: ICECredentials, remote: ICECredentials) {
        self.local = local
        self.remote = remote
    }

    /// Returns a new binding request.
    mutating func make(
        nominates: Bool = false, username: String? = nil, password: String? = nil, fingerprint: Bool = true,
        integrity: Bool = true, kind: STUNClass = .request, method: STUNMethod = .binding,
        adding: [STUNAttribute] = [.priority(1), .iceControlling(7)]
    ) -> [UInt8] {
        count += 1
        let transaction = STUNTransactionID(high: 0x1234, low: count)
        var attributes: [STUNAttribute] = [.username(username ?? local.ufrag + ":" + remote.ufrag)]
        attributes += adding
        if nominates { attributes.append(.useCandidate) }
        let message = STUNMessage(kind, method, transaction: transaction, attributes: attributes)
        let key = Array((password ?? local.password).utf8)
        let hmac: STUNMessage.HMACSHA1? = integrity ? { MessageAuthentication.hmacSHA1(key: key, $0) } : nil
        return message.bytes(integrity: hmac, fingerprint: fingerprint)
    }

    /// Returns a parsed answer, or nil if it is not signed with the agent's password.
    func read(_ answer: [UInt8]) -> STUNMessage? {
        answer.withUnsafeBytes { bytes in
            guard let message = try? STUNMessage(parsing: bytes), message.verifyFingerprint(of: bytes) else {
                return nil
            }
            let key = Array(local.password.utf8)
            let isAuthentic = message.verifyIntegrity(of: bytes) { MessageAuthentication.hmacSHA1(key: key, $0) }
            return isAuthentic ? message : nil
        }
    }
}

extension ICECredentials {
    static let relay = ICECredentials(ufrag: "RELAYfrag", password: "relayPasswordOf24Letters")!
    static let client = ICECredentials(ufrag: "clientFr", password: "clientPasswordOf24Letter")!
}

extension PeerAddress {
    /// Returns an address of the networks reserved for documentation.
    static func peer(_ number: Int, port: UInt16 = 40_000) -> PeerAddress {
        PeerAddress(SocketAddress(octets: [198, 51, UInt8(100 + number / 256), UInt8(number % 256)], port: port)!)
    }
}

extension ICELiteAgent {
    mutating func receive(_ datagram: [UInt8], from source: PeerAddress, at time: MediaTime = .zero) -> Reaction {
        datagram.withUnsafeBytes { receive($0, from: source, now: time) }
    }
}
