import MillraceTestKit
import Testing

@testable import SRTP

@Suite("Ingress against libsrtp2")
struct IngressContextTests {
    @Test(
        "Reordered, repeated, late and lost packets over wraps are judged as by libsrtp2", arguments: SRTPSuite.allCases
    )
    func differential(_ suite: SRTPSuite) throws {
        var random = SeededGenerator(seed: 31)
        let key = SRTPKey.random(for: suite)
        let reference = try SRTPContext(key: key, direction: .inbound)
        let ingress = IngressContext(key: key)
        let fan = FanoutProtector(.evp)
        let context = fan.makeContext(key: key)
        defer { fan.freeContext(context) }
        var accepted = 0
        var refused = 0
        for ssrc in [UInt32(1), 0xffff_ffff, 0x1234_5678] {
            // Starts anywhere between the first rollover and about the fourth.
            var highest = UInt64(random.below(0x1_0000))
            for step in 0..<4000 {
                let jump = random.below(40)
                let index: UInt64
                switch random.below(10) {
                case 0: index = UInt64(max(0, Int(highest) - random.below(1100)))
                case 1: index = UInt64(max(0, Int(highest) - random.below(8)))
                case 2 where jump == 0: index = highest + UInt64(random.below(0x7000))
                case 3 where jump == 0: index = UInt64(max(0, Int(highest) - random.below(0x9000)))
                case 4 where step % 3 == 0: index = highest + UInt64(random.below(200))
                default: index = highest + 1
                }
                // Never so far ahead that the receiver estimates the wrong rollover counter: no receiver survives such loss.
                highest = max(highest, index)
                let packet = RandomPacket(
                    ssrc: ssrc, sequenceNumber: UInt16(truncatingIfNeeded: index), payloadLength: random.below(80),
                    using: &random)
                var bytes = packet.bytes + [UInt8](repeating: 0, count: suite.tagLength)
                bytes.withUnsafeMutableBufferPointer { bytes in
                    var job = ProtectJob(
                        context: context, ssrc: ssrc, index: index,
                        source: UnsafePointer(bytes.baseAddress! + packet.headerLength),
                        destination: bytes.baseAddress!, headerLength: UInt32(packet.headerLength),
                        payloadLength: UInt32(packet.bytes.count - packet.headerLength))
                    fan.protect(&job, count: 1)
                }
                let expected = outcome(bytes) { p, n in try reference.unprotect(p, length: &n) }
                let ours = outcome(bytes) { p, n in try ingress.unprotect(p, length: &n) }
                try #require(ours == expected, "index \(index), highest \(highest)")
                if case .success(let plain) = ours {
                    try #require(plain == packet.bytes)
                    accepted += 1
                } else {
                    refused += 1
                }
            }
        }
        #expect(accepted > 6000)
        #expect(refused > 500)
    }

    @Test("A stream may begin with a later rollover counter", arguments: [UInt32(1), 0xffff, 0x1_0000, 0xffff_ffff])
    func laterRound(_ round: UInt32) throws {
        var random = SeededGenerator(seed: 32)
        let key = SRTPKey.random(for: .aesCM128HMACSHA1_80)
        let ingress = IngressContext(key: key)
        let sender = try SRTPContext(key: key, direction: .outbound)
        try sender.addStream(ssrc: 8, rolloverCounter: round, key: key)
        try ingress.addStream(ssrc: 8, rolloverCounter: round)
        #expect(throws: SRTPFailure.unknownStream) { try ingress.addStream(ssrc: 8, rolloverCounter: round) }
        for sequence in [UInt16(0), 1, 32767, 32768, 65535] {
            let packet = RandomPacket(ssrc: 8, sequenceNumber: sequence, payloadLength: 50, using: &random)
            var bytes = packet.bytes + [UInt8](repeating: 0, count: 10)
            var length = packet.bytes.count
            try sender.protect(&bytes, length: &length, capacity: bytes.count)
            try ingress.unprotect(&bytes, length: &length)
            #expect(Array(bytes.prefix(length)) == packet.bytes)
        }
    }

    @Test("After the last index of 48 bits the key is exhausted")
    func exhausted() throws {
        var window = RTPReplayWindow(ssrc: 1, rolloverCounter: 0xffff_ffff)
        defer { window.deallocate() }
        #expect(window.estimate(65535) == 0xffff_ffff_ffff)
        window.note(0xffff_ffff_ffff)
        #expect(window.estimate(0) == nil)
        #expect(window.estimate(65534) == 0xffff_ffff_fffe)
    }

    @Test("A forgery neither creates a stream nor fills the table")
    func forgeriesLeaveNoTrace() throws {
        var random = SeededGenerator(seed: 33)
        let key = SRTPKey.random(for: .aesCM128HMACSHA1_80)
        let ingress = IngressContext(key: key, maximumStreams: 2)
        let sender = try SRTPContext(key: key, direction: .outbound)
        for _ in 0..<50 {
            let forged = RandomPacket(
                ssrc: UInt32(truncatingIfNeeded: random.next()), sequenceNumber: 1, payloadLength: 50, using: &random)
            #expect(
                outcome(forged.bytes) { p, n in try ingress.unprotect(p, length: &n) }
                    == .failure(.authentication))
        }
        for ssrc in [UInt32(1), 2, 3] {
            let packet = RandomPacket(ssrc: ssrc, sequenceNumber: 1, payloadLength: 50, using: &random)
            var bytes = packet.bytes + [UInt8](repeating: 0, count: 10)
            var length = packet.bytes.count
            try sender.protect(&bytes, length: &length, capacity: bytes.count)
            let result = outcome(bytes) { p, n in try ingress.unprotect(p, length: &n) }
            #expect(result == (ssrc < 3 ? .success(packet.bytes) : .failure(.unknownStream)))
        }
    }

    @Test(
        "Of hundreds of SSRCs, used in any order, none is forgotten: every replay is refused")
    func manyStreams() throws {
        var random = SeededGenerator(seed: 34)
        let key = SRTPKey.random(for: .aeadAES128GCM)
        let ingress = IngressContext(key: key, maximumStreams: 300)
        let sender = try SRTPContext(key: key, direction: .outbound)
        var sent: [[UInt8]] = []
        for round in UInt16(0)..<4 {
            for _ in 0..<300 {
                // All of them in the first round, some often and some never in the next.
                let ssrc = round == 0 ? UInt32(sent.count + 1) : UInt32(1 + random.below(1 + random.below(300)))
                let packet = RandomPacket(
                    ssrc: ssrc, sequenceNumber: UInt16(sent.count), payloadLength: 50, using: &random)
                var bytes = packet.bytes + [UInt8](repeating: 0, count: 16)
                var length = packet.bytes.count
                try sender.protect(&bytes, length: &length, capacity: bytes.count)
                sent.append(bytes)
                let result = outcome(bytes) { p, n in try ingress.unprotect(p, length: &n) }
                try #require(result == .success(packet.bytes), "round \(round), SSRC \(ssrc)")
            }
        }
        for bytes in sent.shuffled(using: &random) {
            #expect(outcome(bytes) { p, n in try ingress.unprotect(p, length: &n) } == .failure(.replay))
        }
    }
}
