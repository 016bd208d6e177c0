import MillraceTestKit
import STUN
import Testing

@Suite("STUN messages (RFC 5389, vectors of RFC 5769)")
struct STUNMessageTests {
    static let password = Array("VOkJxbRl1RmTxUk/WvJxBt".utf8)
    static let transaction = STUNTransactionID(high: 0xb7e7_a701, low: 0xbc34_d686_fa87_dfae)

    static func hmac(_ key: [UInt8]) -> STUNMessage.HMACSHA1 { { SHA1.hmac(key: key, Array($0)) } }
    static func parse(_ bytes: [UInt8]) throws -> STUNMessage {
        try bytes.withUnsafeBytes { try STUNMessage(parsing: $0) }
    }
    static func verifies(_ bytes: [UInt8], key: [UInt8] = password) throws -> (integrity: Bool, fingerprint: Bool) {
        try bytes.withUnsafeBytes { bytes in
            let message = try STUNMessage(parsing: bytes)
            return (message.verifyIntegrity(of: bytes, hmac: hmac(key)), message.verifyFingerprint(of: bytes))
        }
    }

    @Test("The test's own SHA-1 and HMAC agree with FIPS 180-2 and RFC 2202") func sha1() {
        let abc = TestVector.bytes(hexadecimal: "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(SHA1.digest(Array("abc".utf8)) == abc)
        let jefe = TestVector.bytes(hexadecimal: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(SHA1.hmac(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)) == jefe)
    }

    @Test("RFC 5769 section 2.1: sample request") func sampleRequest() throws {
        let bytes = try TestVector.bytes("rfc5769/sample-request.hex")
        let message = try Self.parse(bytes)
        #expect(message.messageClass == .request && message.method == .binding)
        #expect(message.transaction == Self.transaction)
        #expect(
            message.attributes == [
                .software("STUN test client"), .priority(0x6e00_01ff), .iceControlled(0x932f_f9b1_5126_3b36),
                .username("evtj:h6vY"),
            ])
        #expect(message.integrityOffset == 76 && message.fingerprintOffset == 100)
        #expect(try Self.verifies(bytes) == (true, true))
        #expect(try Self.verifies(bytes, key: Array("another".utf8)) == (false, true))
    }

    @Test("RFC 5769 section 2.2: sample IPv4 response") func sampleIPv4Response() throws {
        let bytes = try TestVector.bytes("rfc5769/sample-response-ipv4.hex")
        let message = try Self.parse(bytes)
        #expect(message.messageClass == .success && message.software == "test vector")
        #expect(message.xorMappedAddress == STUNAddress(ip: .v4(0xc000_0201), port: 32_853))
        #expect(try Self.verifies(bytes) == (true, true))
    }

    @Test("RFC 5769 section 2.3: sample IPv6 response") func sampleIPv6Response() throws {
        let bytes = try TestVector.bytes("rfc5769/sample-response-ipv6.hex")
        let address = STUNAddress(ip: .v6(high: 0x2001_0db8_1234_5678, low: 0x0011_2233_4455_6677), port: 32_853)
        #expect(try Self.parse(bytes).xorMappedAddress == address)
        #expect(try Self.verifies(bytes) == (true, true))
    }

    @Test("RFC 5769 section 2.4: sample request with long-term authentication") func sampleLongTermRequest() throws {
        let bytes = try TestVector.bytes("rfc5769/sample-request-long-term.hex")
        let message = try Self.parse(bytes)
        #expect(
            message.attributes == [
                .username("\u{30de}\u{30c8}\u{30ea}\u{30c3}\u{30af}\u{30b9}"),
                .nonce(Array("f//499k954d6OL34oL9FSTvy64sA".utf8)), .realm("example.org"),
            ])
        // MD5 of user name, realm and password "TheMatrIX", with colons between.
        let key = TestVector.bytes(hexadecimal: "e8ca7ad59d5eb0518e312911d2dab2a9")
        #expect(try Self.verifies(bytes, key: key) == (true, false))
        // This vector pads with zeros, as this codec does, so it is written as it was read.
        #expect(message.bytes(integrity: Self.hmac(key), fingerprint: false) == bytes)
    }

    @Test func everyChangedBitIsNoticed() throws {
        let bytes = try TestVector.bytes("rfc5769/sample-request.hex")
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let result = try? Self.verifies(changed) else { continue }
            #expect(!result.fingerprint, "bit \(bit)")
            // Changes behind MESSAGE-INTEGRITY are only detected by FINGERPRINT.
            if bit / 8 < 100 { #expect(!result.integrity, "bit \(bit)") }
        }
    }

    @Test("Written messages are read back unchanged", arguments: [STUNClass.request, .indication, .success, .error])
    func roundTrip(messageClass: STUNClass) throws {
        let message = STUNMessage(
            messageClass, transaction: Self.transaction,
            attributes: [
                .username("a:b"), .priority(.max), .useCandidate, .iceControlling(.max), .iceControlled(0),
                .xorMappedAddress(STUNAddress(ip: .v4(0x7f00_0001), port: 65_535)),
                .mappedAddress(STUNAddress(ip: .v6(high: .max, low: 1), port: 0)), .errorCode(.roleConflict),
                .unknownAttributes([.init(rawValue: 0x7fff), .init(rawValue: 1)]), .realm(""), .nonce([1]),
                .software("millrace"), .other(.init(rawValue: 0x7abc), [1, 2, 3]), .other(.init(rawValue: 0xc001), []),
            ])
        let bytes = message.bytes(integrity: Self.hmac(Self.password))
        let read = try Self.parse(bytes)
        #expect(read.messageClass == messageClass)
        #expect(read.attributes == message.attributes)
        #expect(try Self.verifies(bytes) == (true, true))
        #expect(read.username == "a:b" && read.isNomination && read.priority == .max)
        #expect(read.iceControlling == .max && read.iceControlled == 0 && read.errorCode?.code == 487)
        #expect(read.unknownRequiredTypes == [.init(rawValue: 0x7abc)])
    }

    @Test("Methods of all bits", arguments: [0, 1, 0x00f, 0x010, 0x070, 0x080, 0xf80, 0xfff] as [UInt16])
    func methods(value: UInt16) throws {
        for messageClass in [STUNClass.request, .indication, .success, .error] {
            let message = STUNMessage(messageClass, STUNMethod(rawValue: value), transaction: Self.transaction)
            let bytes = message.bytes(fingerprint: false)
            #expect(bytes[0] & 0xc0 == 0)
            let read = try Self.parse(bytes)
            #expect(read.method.rawValue == value && read.messageClass == messageClass)
        }
    }

    @Test("RFC 5389 section 15.4: attributes behind MESSAGE-INTEGRITY are ignored") func unprotectedAttributes() throws
    {
        var bytes = STUNMessage(.request, transaction: Self.transaction, attributes: [.username("a:b")])
            .bytes(integrity: Self.hmac(Self.password), fingerprint: false)
        bytes += [0x00, 0x25, 0, 0]
        bytes[3] += 4
        let message = try Self.parse(bytes)
        #expect(message.attributes == [.username("a:b")] && !message.isNomination)
        #expect(try Self.verifies(bytes) == (true, false))
    }

    @Test func refusesWhatCannotBe() throws {
        let whole = try TestVector.bytes("rfc5769/sample-request.hex")
        for length in 0..<whole.count { #expect(throws: STUNError.length) { try Self.parse(Array(whole[..<length])) } }
        var cookie = whole
        cookie[4] = 0
        #expect(throws: STUNError.notSTUN) { try Self.parse(cookie) }
        #expect(throws: STUNError.notSTUN) { try Self.parse([0x80] + whole[1...]) }
        var long = whole
        long[23] = 0xff
        #expect(throws: STUNError.truncatedAttribute(type: 0x8022)) { try Self.parse(long) }
        var priority = whole
        priority[43] = 3
        #expect(throws: STUNError.invalidAttribute(type: 0x24)) { try Self.parse(priority) }
        var behind = whole + [0x80, 0x22, 0, 0]
        behind[3] += 4
        #expect(throws: STUNError.misplacedFingerprint) { try Self.parse(behind) }
    }

    @Test func noInputTraps() throws {
        let names = ["sample-request", "sample-response-ipv4", "sample-response-ipv6", "sample-request-long-term"]
        let everything = STUNMessage(
            .error, transaction: Self.transaction,
            attributes: [
                .useCandidate, .iceControlling(1), .errorCode(.unknownAttribute),
                .unknownAttributes([.init(rawValue: 1)]), .mappedAddress(STUNAddress(ip: .v4(1), port: 1)),
            ])
        let corpus =
            try names.map { try TestVector.bytes("rfc5769/\($0).hex") } + [
                everything.bytes(integrity: { _ in Array(0..<20) })
            ]
        var parsed = 0
        MutationFuzzer(corpus: corpus, seed: 0x57d).run(count: 100_000) { bytes in
            guard let message = try? STUNMessage(parsing: bytes) else { return }
            parsed += 1
            _ = message.verifyFingerprint(of: bytes)
            _ = message.verifyIntegrity(of: bytes) { _ in Array(0..<20) }
            _ = message.bytes()
        }
        #expect(parsed > 10_000)
    }
}
