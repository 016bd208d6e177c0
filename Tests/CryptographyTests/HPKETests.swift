import Foundation
import MillraceTestKit
import Testing

@testable import Cryptography

@Suite("HPKE") struct HPKETests {
    /// Vector of a mode in RFC 9180 appendix A.1 (Tests/Vectors/SOURCES.md).
    struct Vector: Decodable {
        struct Encryption: Decodable {
            let sequence: UInt64
            let aad: String
            let pt: String
            let ct: String
        }

        let mode: Int
        let info: String
        let skEm: String
        let pkEm: String
        let skRm: String
        let pkRm: String
        let skSm: String?
        let pkSm: String?
        let key: String
        let baseNonce: String
        let encryptions: [Encryption]

        static func load() throws -> [Vector] {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode([Vector].self, from: Data(TestVector.text("hpke/rfc9180-a1.json").utf8))
        }
    }

    private static func bytes(_ text: String) -> [UInt8] { TestVector.bytes(hexadecimal: text) }

    @Test("Contexts and ciphertexts of both modes are those of RFC 9180 appendix A.1") func published() throws {
        let vectors = try Vector.load()
        #expect(vectors.map(\.mode) == [0, 2])
        for vector in vectors {
            let ephemeral = try X25519PrivateKey(bytes: Self.bytes(vector.skEm))
            let receiver = try X25519PrivateKey(bytes: Self.bytes(vector.skRm))
            let sender = try vector.skSm.map { try X25519PrivateKey(bytes: Self.bytes($0)) }
            #expect(ephemeral.publicKey == Self.bytes(vector.pkEm))
            #expect(receiver.publicKey == Self.bytes(vector.pkRm))
            #expect(sender?.publicKey == vector.pkSm.map(Self.bytes))
            let info = Self.bytes(vector.info)
            var sealing = try HPKE.senderContext(ephemeral, to: receiver.publicKey, from: sender, info: info)
            var opening = try HPKE.receiverContext(
                ephemeral.publicKey, with: receiver, from: sender?.publicKey, info: info)
            #expect(sealing.key == Self.bytes(vector.key) && sealing.baseNonce == Self.bytes(vector.baseNonce))
            for encryption in vector.encryptions {
                sealing.sequence = encryption.sequence
                opening.sequence = encryption.sequence
                let (plain, sealed) = (Self.bytes(encryption.pt), Self.bytes(encryption.ct))
                #expect(try sealing.seal(plain, associatedData: Self.bytes(encryption.aad)) == sealed)
                #expect(try opening.open(sealed, associatedData: Self.bytes(encryption.aad)) == plain)
            }
        }
    }

    @Test("A message opens for its receiver, from its sender and in its context only") func binding() throws {
        var generator = SeededGenerator(seed: 1)
        let keys = try (0..<3).map { _ in try X25519PrivateKey(using: &generator) }
        let message = try HPKE.seal(
            [1, 2, 3], to: keys[0].publicKey, from: keys[1], info: [7], associatedData: [8], using: &generator)
        #expect(
            try HPKE.open(message, with: keys[0], from: keys[1].publicKey, info: [7], associatedData: [8]) == [1, 2, 3])
        let others: [(X25519PrivateKey, [UInt8]?, [UInt8], [UInt8])] = [
            (keys[2], keys[1].publicKey, [7], [8]), (keys[0], keys[2].publicKey, [7], [8]), (keys[0], nil, [7], [8]),
            (keys[0], keys[1].publicKey, [6], [8]), (keys[0], keys[1].publicKey, [7], []),
        ]
        for (receiver, sender, info, data) in others {
            #expect(throws: HPKEFailure.authentication) {
                try HPKE.open(message, with: receiver, from: sender, info: info, associatedData: data)
            }
        }
        for index in message.ciphertext.indices {
            var damaged = message.ciphertext
            damaged[index] ^= 1
            #expect(throws: HPKEFailure.authentication) {
                try HPKE.open(
                    HPKEMessage(encapsulatedKey: message.encapsulatedKey, ciphertext: damaged), with: keys[0],
                    from: keys[1].publicKey, info: [7], associatedData: [8])
            }
        }
    }

    @Test("Keys of a wrong length and points of low order are refused, and short ciphertexts do not open")
    func invalidKeys() throws {
        var generator = SeededGenerator(seed: 2)
        let key = try X25519PrivateKey(using: &generator)
        for publicKey in [[], [UInt8](repeating: 9, count: 31), [UInt8](repeating: 0, count: 32)] {
            #expect(throws: HPKEFailure.invalidKey) { try key.sharedSecret(with: publicKey) }
            #expect(throws: HPKEFailure.invalidKey) {
                try HPKE.seal([1], to: publicKey, info: [], using: &generator)
            }
        }
        #expect(throws: HPKEFailure.invalidKey) { try X25519PrivateKey(bytes: [1]) }
        for length in [0, 1, 15] {
            let short = HPKEMessage(encapsulatedKey: key.publicKey, ciphertext: [UInt8](repeating: 0, count: length))
            #expect(throws: HPKEFailure.authentication) { try HPKE.open(short, with: key, info: []) }
        }
    }

    @Test("An empty message is sealed and opened") func empty() throws {
        var generator = SeededGenerator(seed: 3)
        let key = try X25519PrivateKey(using: &generator)
        let message = try HPKE.seal([], to: key.publicKey, info: [], using: &generator)
        #expect(message.ciphertext.count == HPKE.overhead)
        #expect(try HPKE.open(message, with: key, info: []) == [])
    }

    @Test("A private key does not appear in a description") func description() throws {
        let key = try X25519PrivateKey(bytes: [UInt8](repeating: 77, count: 32))
        #expect(!"\(key) \(String(reflecting: key))".contains("77"))
    }
}
