import Cryptography
import MediaBase
import MillraceTestKit
import Testing

@testable import SFrame

@Suite("E2E-3 messages of the key agreement") struct KeyMessageTests {
    private static let digest = [UInt8](0..<32)
    private static let entry = HPKEEntry(bytes: [UInt8](0..<80))

    private static let samples = [
        KeyMessage(epoch: 1, roster: digest, .request), KeyMessage(epoch: .max, roster: digest, .request),
        KeyMessage(epoch: 7, roster: digest, .secrets(first: 0x1234, entries: [entry])),
        KeyMessage(
            epoch: 7, roster: digest,
            .secrets(first: 0, entries: Array(repeating: entry, count: KeyMessage.maximumEntries))),
    ]

    @Test("Messages are read as they were written, and fit into a signal") func roundTrip() {
        for message in Self.samples {
            #expect(KeyMessage(parsing: message.text) == message)
            #expect(message.text.utf8.count <= 8 * 1_024)
        }
        let one = Self.samples[2].text
        #expect(Base64.decode(one)?.prefix(5) == [1, 0, 0, 0, 7])
        #expect(Base64.decode(one)?.count == 39 + 80)
    }

    @Test("Truncated, extended and other texts are refused") func refused() throws {
        let valid = try #require(Base64.decode(Self.samples[2].text))
        for length in 0..<valid.count {
            #expect(KeyMessage(parsing: Base64.encode(Array(valid.prefix(length)))) == nil)
        }
        #expect(KeyMessage(parsing: Base64.encode(valid + [0])) == nil)
        #expect(KeyMessage(parsing: Base64.encode([3] + valid.dropFirst())) == nil)
        // The epoch 0 does not occur in key ids.
        #expect(KeyMessage(parsing: Base64.encode([2, 0, 0, 0, 0] + Self.digest)) == nil)
        let tooMany = Array(repeating: Self.entry, count: KeyMessage.maximumEntries + 1)
        #expect(
            KeyMessage(parsing: KeyMessage(epoch: 1, roster: Self.digest, .secrets(first: 0, entries: tooMany)).text)
                == nil)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            var bytes = Array(Self.samples[2].text.utf8)
            bytes[generator.below(bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
            _ = KeyMessage(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("The safety number is that of another implementation, and depends on each key and connection")
    func safetyNumber() throws {
        func member(_ connection: String, _ byte: UInt8, _ joinedAt: Int64) throws -> KeyAgreementMember {
            try #require(
                KeyAgreementMember(
                    connection: connection, publicKey: Base64.encode([UInt8](repeating: byte, count: 32)),
                    joinedAt: joinedAt, isConnected: true))
        }
        let (ada, bob) = (try member("ada", 1, 5), try member("bob", 2, 6))
        let roster = KeyRoster(session: "session", members: [bob, ada])
        #expect(roster.members.map(\.connection) == ["ada", "bob"])
        // Computed with Python: hashlib, int.from_bytes(...) % 10**60.
        #expect(
            SafetyNumber.text(ofRoster: roster.digest)
                == "39403 29302 07227 39415 53518 72581 36072 05810 46478 61964 89697 08595")
        let others = try [
            KeyRoster(session: "session", members: [ada]), KeyRoster(session: "other", members: [ada, bob]),
            KeyRoster(session: "session", members: [ada, member("bob", 3, 6)]),
            KeyRoster(session: "session", members: [ada, member("eve", 2, 6)]),
            KeyRoster(session: "session", members: [member("ada", 1, 7), bob]),
        ]
        #expect(Set(others.map(\.digest)).union([roster.digest]).count == 6)
    }

    @Test("A secret that the page's code sealed is accepted") func pageMessage() throws {
        // Made by Sources/CPage/web/client/keyagreement.js in Node.js 20.
        let identity = KeyAgreementIdentity(
            key: try X25519PrivateKey(
                bytes: TestVector.bytes(
                    hexadecimal: "18c05b0e7e2bf011f876cab1b90c7cee76866dbd2011a6457e54c9c9f393324e")))
        let ada = TestVector.bytes(
            hexadecimal: "851e22ad11269c1abe57a7bd0c4177a016593b98a2ae2a87ba399e178668534c")
        let message =
            "AQAAAAHRGvYan7AqpglXB6keivC6LL1XLMKFB+XeUjAgpQBW5QAAeWgXcEgZl+Y18n7YAymTKS1gzv61"
            + "+HSVP2j6E9JGCVBamvKFXRaMfZaMAWdnNkUiiLCX77BuDZwYM4126RBVWSkB3Q5sSA/spD90lBm8NqA="
        var agreement = KeyAgreement(identity, session: "session", connection: "bob")
        let members = [("ada", Base64.encode(ada), Int64(1)), ("bob", identity.publicKey, 2)].compactMap {
            KeyAgreementMember(connection: $0, publicKey: $1, joinedAt: $2, isConnected: true)
        }
        agreement.setMembers(members, isComplete: true, now: .seconds(1))
        agreement.receive(message, from: "ada", now: .seconds(2))
        #expect(
            agreement.sealingEpoch?.secret.bytes
                == TestVector.bytes(
                    hexadecimal: "e7220b6f0e15e109914717bf1c94841b1e6f25203e9dfcb943a4d9a68ed55bf3"))
        #expect(agreement.sealingEpoch?.frameEpoch == 1)
        #expect(
            agreement.safetyNumber == "56084 86783 20443 47563 56267 82567 10764 70206 48361 18238 59154 40073")
    }
}
