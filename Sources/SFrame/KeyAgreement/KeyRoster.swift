import Cryptography

/// All participants with a public key, in order of joining. Participants that are shown different ones compute different digests.
struct KeyRoster: Sendable {
    let members: [KeyAgreementMember]
    /// SHA-256 over session, connections and keys.
    let digest: [UInt8]

    init(session: String, members: [KeyAgreementMember]) {
        var seen: Set<String> = []
        self.members = members.sorted {
            ($0.joinedAt, $0.connection) < ($1.joinedAt, $1.connection)
        }.filter { seen.insert($0.connection).inserted }
        var digest = MessageDigest(.sha256)
        digest.update(Array("\(EncryptionSecret.label) members\0".utf8))
        digest.update(Self.counted(session))
        for member in self.members {
            digest.update(Self.counted(member.connection))
            digest.update(member.key)
        }
        self.digest = digest.finish()
    }

    /// The connected participant that joined first; it makes the secrets.
    var leader: KeyAgreementMember? { members.first(where: \.isConnected) }

    func member(_ connection: String) -> KeyAgreementMember? { members.first { $0.connection == connection } }

    /// Participants that a leader sends a secret to, in the order of the entries in its messages.
    func receivers(of leader: String) -> [KeyAgreementMember] { members.filter { $0.connection != leader } }

    private static func counted(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
}
