import Testing

@testable import SRTP

@Suite("Published vectors")
struct VectorTests {
    @Test("RFC 3711 appendix B.3: session keys from a master key")
    func keyDerivation() throws {
        let key = try SRTPKey(
            suite: .aesCM128HMACSHA1_80,
            bytes: hex("E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6"))
        let keys = SessionKeys(key, .rtp)
        #expect(keys.cipherKey == hex("C61E7A93744F39EE10734AFE3FF7A087"))
        #expect(keys.salt == hex("30CBBC08863D8C85D49DB34A9AE1"))
        #expect(keys.authenticationKey == hex("CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4"))
    }

    @Test("RFC 3711 appendix B.2: AES-CM key stream", arguments: [FanoutProtector.Backend.evp, .multiBuffer])
    func keyStream(_ backend: FanoutProtector.Backend) {
        let fan = FanoutProtector(backend)
        let suite = SRTPSuite.aesCM128HMACSHA1_80
        let keys = SessionKeys(
            cipherKey: hex("2B7E151628AED2A6ABF7158809CF4F3C"), authenticationKey: [UInt8](repeating: 0, count: 20),
            salt: hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD"))
        let context = fan.makeContext(suite, rtp: keys, sender: SRTCPKeys(suite, keys), receiver: nil)
        defer { fan.freeContext(context) }
        // The vector extends to block FF02 of one packet; a packet of 1 MiB is no datagram, but the cipher accepts it.
        let length = 0xff02 * 16 + 16
        var packet = [UInt8](repeating: 0, count: 12 + length + suite.tagLength)
        packet[0] = 0x80
        packet.withUnsafeMutableBufferPointer { packet in
            let destination = packet.baseAddress!
            var job = ProtectJob(
                context: context, ssrc: 0, index: 0, source: UnsafePointer(destination + 12), destination: destination,
                headerLength: 12, payloadLength: UInt32(length))
            fan.protect(&job, count: 1)
        }
        func block(_ number: Int) -> [UInt8] { Array(packet[12 + number * 16..<12 + number * 16 + 16]) }
        #expect(block(0) == hex("E03EAD0935C95E80E166B16DD92B4EB4"))
        #expect(block(1) == hex("D23513162B02D0F72A43A2FE4A5F97AB"))
        #expect(block(2) == hex("41E95B3BB0A2E8DD477901E4FCA894C0"))
        #expect(block(0xfeff) == hex("EC8CDF7398607CB0F2D21675EA9EA1E4"))
        #expect(block(0xff00) == hex("362B7C3C6773516318A077D7FC5073AE"))
        #expect(block(0xff01) == hex("6A2CC3787889374FBEB4C81B17BA6C44"))
    }

    private static let aeadKeys = SessionKeys(
        cipherKey: hex("000102030405060708090a0b0c0d0e0f"), authenticationKey: [],
        salt: hex("517569642070726f2071756f"))

    @Test("RFC 7714 section 16.1: AEAD_AES_128_GCM", arguments: [FanoutProtector.Backend.evp, .multiBuffer])
    func aead(_ backend: FanoutProtector.Backend) throws {
        let fan = FanoutProtector(backend)
        let suite = SRTPSuite.aeadAES128GCM
        let context = fan.makeContext(suite, rtp: Self.aeadKeys, sender: SRTCPKeys(suite, Self.aeadKeys), receiver: nil)
        defer { fan.freeContext(context) }
        let plain = hex(
            """
            8040f17b 8041f8d3 5501a0b2 47616c6c 69612065 7374206f 6d6e6973 20646976
            69736120 696e2070 61727465 73207472 6573
            """)
        let protected = hex(
            """
            8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5
            0d294e6f 42a5f47a 51c7d19b 36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce
            """)
        var packet = plain + [UInt8](repeating: 0, count: 16)
        packet.withUnsafeMutableBufferPointer { packet in
            let destination = packet.baseAddress!
            var job = ProtectJob(
                context: context, ssrc: 0x5501_a0b2, index: 0xf17b, source: UnsafePointer(destination + 12),
                destination: destination, headerLength: 12, payloadLength: UInt32(plain.count - 12))
            fan.protect(&job, count: 1)
        }
        #expect(packet == protected)

        let ingress = IngressContext(
            suite, rtp: Self.aeadKeys, rtcp: SRTCPKeys(suite, Self.aeadKeys), maximumStreams: 1)
        var length = packet.count
        try ingress.unprotect(&packet, length: &length)
        #expect(Array(packet.prefix(length)) == plain)
    }

    @Test("RFC 7714 section 17.1: SRTCP with AEAD_AES_128_GCM")
    func aeadControl() throws {
        let plain = hex(
            """
            81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61
            deadbeef deadbeef deadbeef deadbeef deadbeef
            """)
        let protected = hex(
            """
            81c8000d 4d617273 63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d
            c676a5f1 730d6fda 4ce09b46 86303ded 0bb9275b c84aa458 96cf4d2f c5abf872
            45d9eade 800005d4
            """)
        let cipher = SRTCPCipher()
        let keys = SRTCPKeys(.aeadAES128GCM, Self.aeadKeys)
        var packet = plain + [UInt8](repeating: 0, count: 20)
        var length = plain.count
        try cipher.protect(&packet, length: &length, capacity: packet.count, keys: keys, index: 0x5d4)
        #expect(packet == protected)
        #expect(length == protected.count)
        var windows = SRTCPReplayWindows()
        try cipher.unprotect(&packet, length: &length, keys: keys, windows: &windows)
        #expect(Array(packet.prefix(length)) == plain)
    }
}
