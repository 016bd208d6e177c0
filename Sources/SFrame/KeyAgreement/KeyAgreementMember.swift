import Cryptography

/// A participant with a public key, as the relay announces it.
package struct KeyAgreementMember: Hashable, Sendable {
    package let connection: String
    let key: [UInt8]
    /// Milliseconds since 1970.
    package let joinedAt: Int64
    package let isConnected: Bool

    /// - Returns: nil if the text is no public key.
    package init?(connection: String, publicKey: String, joinedAt: Int64, isConnected: Bool) {
        guard let key = Base64.decode(publicKey), key.count == X25519PrivateKey.length,
            connection.utf8.count <= Int(UInt16.max)
        else { return nil }
        self.connection = connection
        self.key = key
        self.joinedAt = joinedAt
        self.isConnected = isConnected
    }
}
