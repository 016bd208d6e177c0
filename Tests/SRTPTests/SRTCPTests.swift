import MillraceTestKit
import Testing

@testable import SRTP

@Suite("SRTCP of a path against libsrtp2")
struct SRTCPTests {
    @Test(
        "Packets that a path sends equal those of libsrtp2 byte by byte, and libsrtp2 accepts them",
        arguments: SRTPSuite.allCases)
    func sending(_ suite: SRTPSuite) throws {
        var random = SeededGenerator(seed: 11)
        let fan = FanoutProtector()
        let key = SRTPKey.random(for: suite)
        let context = fan.makeContext(key: key)
        defer { fan.freeContext(context) }
        let sender = try SRTPContext(key: key, direction: .outbound)
        let receiver = try SRTPContext(key: key, direction: .inbound)
        for _ in 0..<500 {
            let packet = randomControlPacket(ssrc: 77, using: &random)
            var ours = packet + [UInt8](repeating: 0xee, count: suite.rtcpOverhead + 8)
            var theirs = packet + [UInt8](repeating: 0, count: 64)
            var length = packet.count
            try fan.protectRTCP(context, &ours, length: &length, capacity: packet.count + suite.rtcpOverhead)
            var theirLength = packet.count
            try sender.protectRTCP(&theirs, length: &theirLength, capacity: theirs.count)
            try #require(length == theirLength)
            try #require(ours.prefix(length) == theirs.prefix(length))
            #expect(ours.suffix(8) == [UInt8](repeating: 0xee, count: 8)[...])
            try receiver.unprotectRTCP(&ours, length: &length)
            #expect(Array(ours.prefix(length)) == packet)
        }
    }

    @Test(
        "Packets that libsrtp2 sends are accepted once, within a window of 128 per SSRC", arguments: SRTPSuite.allCases)
    func receiving(_ suite: SRTPSuite) throws {
        var random = SeededGenerator(seed: 12)
        let fan = FanoutProtector()
        let peerKey = SRTPKey.random(for: suite)
        let context = fan.makeContext(key: .random(for: suite), peerKey: peerKey)
        defer { fan.freeContext(context) }
        let ingress = IngressContext(key: peerKey)
        let sender = try SRTPContext(key: peerKey, direction: .outbound)
        let reference = try SRTPContext(key: peerKey, direction: .inbound)
        var sent: [(plain: [UInt8], protected: [UInt8])] = []
        for count in 0..<600 {
            let packet = randomControlPacket(ssrc: [5, 6][random.below(2)], using: &random)
            var bytes = packet + [UInt8](repeating: 0, count: 64)
            var length = packet.count
            try sender.protectRTCP(&bytes, length: &length, capacity: bytes.count)
            sent.append((packet, Array(bytes.prefix(length))))
            // Old and new, in any order, some lost, some duplicated: all must judge alike.
            for _ in 0..<1 + random.below(2) {
                let chosen = sent[max(0, sent.count - 1 - random.below(count % 50 == 0 ? 400 : 140))]
                let expected = outcome(chosen.protected) { p, n in
                    try reference.unprotectRTCP(p, length: &n)
                }
                let ofContext = outcome(chosen.protected) { p, n in
                    try fan.unprotectRTCP(context, p, length: &n)
                }
                let ofIngress = outcome(chosen.protected) { p, n in
                    try ingress.unprotectRTCP(p, length: &n)
                }
                try #require(ofContext == expected)
                try #require(ofIngress == expected)
                if case .success(let plain) = expected { #expect(plain == chosen.plain) }
            }
        }
    }

    @Test("A packet without the E flag is authenticated and left unchanged", arguments: SRTPSuite.allCases)
    func unencrypted(_ suite: SRTPSuite) throws {
        var random = SeededGenerator(seed: 13)
        let fan = FanoutProtector(.evp)
        let key = SRTPKey.random(for: suite)
        let context = fan.makeContext(key: .random(for: suite), peerKey: key)
        let keys = SessionKeys(key, .rtcp)
        let signer = fan.makeContext(suite, rtp: keys, sender: SRTCPKeys(key), receiver: nil)
        defer {
            fan.freeContext(context)
            fan.freeContext(signer)
        }
        let plain = randomControlPacket(ssrc: 9, using: &random)
        let trailer: [UInt8] = [0, 0, 0, 7]
        var packet: [UInt8]
        if suite.isAEAD {
            // All of it is associated data, so an RTP packet without payload has the same tag.
            var sealed = plain + trailer + [UInt8](repeating: 0, count: 16)
            sealed.withUnsafeMutableBufferPointer { sealed in
                var job = ProtectJob(
                    context: signer, ssrc: 9, index: 7, source: UnsafePointer(sealed.baseAddress!),
                    destination: sealed.baseAddress!, headerLength: UInt32(plain.count + 4), payloadLength: 0)
                fan.protect(&job, count: 1)
            }
            packet = plain + sealed.suffix(16) + trailer
        } else {
            packet = plain + trailer
            var digest = [UInt8](repeating: 0, count: 20)
            HMACSHA1(key: keys.authenticationKey).authenticate(packet, count: packet.count, to: &digest)
            packet += digest.prefix(10)
        }
        var forged = packet
        forged[8] ^= 1
        var length = forged.count
        #expect(throws: SRTPFailure.authentication) { try fan.unprotectRTCP(context, &forged, length: &length) }
        #expect(length == packet.count)
        // libsrtp2 requires encryption with counter mode; with GCM it confirms the layout.
        let reference = try SRTPContext(key: key, direction: .inbound)
        let theirs = outcome(packet) { p, n in try reference.unprotectRTCP(p, length: &n) }
        #expect(theirs == (suite.isAEAD ? .success(plain) : .failure(.malformed)))
        length = packet.count
        try fan.unprotectRTCP(context, &packet, length: &length)
        #expect(Array(packet.prefix(length)) == plain)
    }

    @Test("Absent keys, buffers that are too small and exhausted indices are refused", arguments: SRTPSuite.allCases)
    func refusals(_ suite: SRTPSuite) throws {
        let fan = FanoutProtector()
        let context = fan.makeContext(key: .random(for: suite))
        defer { fan.freeContext(context) }
        var bytes = [UInt8](repeating: 0, count: 100)
        var length = 60
        #expect(throws: SRTPFailure.unknownStream) { try fan.unprotectRTCP(context, &bytes, length: &length) }
        length = 100 - suite.rtcpOverhead + 1
        #expect(throws: SRTPFailure.capacity) { try fan.protectRTCP(context, &bytes, length: &length, capacity: 100) }
        length = 7
        #expect(throws: SRTPFailure.malformed) { try fan.protectRTCP(context, &bytes, length: &length, capacity: 100) }
        context.pointee.nextSenderIndex = 0x7fff_ffff
        length = 8
        try fan.protectRTCP(context, &bytes, length: &length, capacity: 100)
        length = 8
        #expect(throws: SRTPFailure.keyExpired) { try fan.protectRTCP(context, &bytes, length: &length, capacity: 100) }
    }

    @Test("Any number of a peer's SSRCs is accepted in bounded memory, and none of their packets twice")
    func manyStreams() throws {
        let fan = FanoutProtector()
        let peerKey = SRTPKey.random(for: .aeadAES128GCM)
        let context = fan.makeContext(key: .random(for: .aeadAES128GCM), peerKey: peerKey)
        let peer = fan.makeContext(key: peerKey)
        defer {
            fan.freeContext(context)
            fan.freeContext(peer)
        }
        var random = SeededGenerator(seed: 14)
        let most = UInt32(SRTCPReplayWindows.maximumSSRCs)
        var sent: [[UInt8]] = []
        // The sender's index grows with each packet whatever the SSRC: none is below the forgotten ones.
        for ssrc in 0..<most + 300 {
            let packet = randomControlPacket(ssrc: ssrc, using: &random)
            var bytes = packet + [UInt8](repeating: 0, count: 20)
            var length = packet.count
            try fan.protectRTCP(peer, &bytes, length: &length, capacity: bytes.count)
            sent.append(Array(bytes.prefix(length)))
            try fan.unprotectRTCP(context, &bytes, length: &length)
            #expect(Array(bytes.prefix(length)) == packet)
        }
        #expect(context.pointee.receiverWindows.count == Int(most))
        for packet in sent {
            let again = outcome(packet) { p, n in try fan.unprotectRTCP(context, p, length: &n) }
            #expect(again == .failure(.replay))
        }
    }

    @Test("An SSRC whose window was evicted is accepted again with new packets only")
    func comingBack() {
        var windows = SRTCPReplayWindows()
        func take(_ ssrc: UInt32, _ index: UInt32) -> Bool {
            guard let slot = try? windows.check(ssrc: ssrc, index: index) else { return false }
            windows.note(ssrc: ssrc, index: index, at: slot)
            return true
        }
        #expect(take(7, 100) && take(7, 98))
        #expect(take(8, 40))
        // More SSRCs arrive than are kept; only 8 continues in between.
        for other in 0..<UInt32(SRTCPReplayWindows.maximumSSRCs) {
            #expect(take(1_000 + other, 200))
            #expect(take(8, 41 + other))
        }
        #expect(windows.count == SRTCPReplayWindows.maximumSSRCs)
        for index in [0, 97, 98, 99, 100] as [UInt32] { #expect(!take(7, index)) }
        #expect(take(7, 105))
        for index in [1, 97, 98, 100, 105] as [UInt32] { #expect(!take(7, index)) }
        for index in [104, 101, 102, 103, 300] as [UInt32] { #expect(take(7, index)) }
        for index in [101, 104, 105, 299 - 128, 300] as [UInt32] { #expect(!take(7, index)) }
        // An SSRC that was never evicted still knows which packets are missing.
        #expect(take(8, 2_000) && take(8, 1_990) && !take(8, 1_990))
    }

    @Test(
        "A new window for an evicted SSRC refuses packets before the old one, near and far",
        arguments: [1, 63, 64, 65, 127, 128, 400])
    func edges(_ ahead: UInt32) {
        var windows = SRTCPReplayWindows()
        func take(_ ssrc: UInt32, _ index: UInt32) -> Bool {
            guard let slot = try? windows.check(ssrc: ssrc, index: index) else { return false }
            windows.note(ssrc: ssrc, index: index, at: slot)
            return true
        }
        #expect(take(7, 1_000))
        for other in 0..<UInt32(SRTCPReplayWindows.maximumSSRCs) { #expect(take(100_000 + other, 1)) }
        #expect(take(7, 1_000 + ahead))
        for age in 0..<140 as Range<UInt32> {
            let index = 1_000 + ahead - age
            #expect(take(7, index) == (index > 1_000 && age > 0 && age < 128))
        }
    }
}
