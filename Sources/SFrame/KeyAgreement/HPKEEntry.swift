import Cryptography

/// A secret that is sealed for one receiver: encapsulated key and ciphertext.
struct HPKEEntry: Hashable, Sendable {
    static let length = HPKE.encapsulatedKeyLength + EncryptionSecret.length + HPKE.overhead

    /// `length` bytes.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ message: HPKEMessage) { bytes = message.encapsulatedKey + message.ciphertext }

    var message: HPKEMessage {
        HPKEMessage(
            encapsulatedKey: Array(bytes.prefix(HPKE.encapsulatedKeyLength)),
            ciphertext: Array(bytes.dropFirst(HPKE.encapsulatedKeyLength)))
    }
}
