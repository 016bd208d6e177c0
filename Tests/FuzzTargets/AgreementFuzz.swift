import Cryptography
import MediaBase
import SFrame

/// Messages of the key agreement that a dishonest relay passes off as those of the leader.
///
/// The first byte selects the form: bit 0 sets the digest of the true roster, bit 1 takes the bytes as text instead of encoding them.
enum AgreementFuzz {
    private static let participants = ["leader", "own"].compactMap { name -> (String, KeyAgreementIdentity)? in
        var random = FuzzRandom(state: UInt64(name.utf8.count))
        return (try? KeyAgreementIdentity(using: &random)).map { (name, $0) }
    }

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        guard participants.count == 2 else { throw FuzzViolation("OpenSSL makes no keys") }
        var random = FuzzRandom(state: 1)
        let members = participants.compactMap {
            KeyAgreementMember(connection: $0, publicKey: $1.publicKey, joinedAt: 1, isConnected: true)
        }
        var agreement = KeyAgreement(participants[1].1, session: "session", connection: "own")
        agreement.setMembers(members, isComplete: true, now: .seconds(1))
        agreement.handleTimeout(now: .seconds(3), using: &random)
        var message = Array(bytes.dropFirst())
        for case .send(let request, _) in agreement.takeEffects() {
            // The request for the missing secret holds the digest.
            guard (bytes.first ?? 0) & 1 == 1, message.count >= 37, let digest = Base64.decode(request) else {
                continue
            }
            message.replaceSubrange(5..<37, with: digest[5..<37])
        }
        let text = (bytes.first ?? 0) & 2 == 0 ? Base64.encode(message) : String(decoding: message, as: UTF8.self)
        for sender in ["leader", "own", "another", nil] {
            agreement.receive(text, from: sender, now: .seconds(3))
        }
        try require(agreement.openingEpochs.isEmpty, "a secret that nobody sealed is accepted")
        try require(agreement.takeEffects().isEmpty, "a forged message has effects")
        try require(agreement.deadline > .seconds(3), "a deadline has passed")
    }
}
