import MillraceTestKit
import Testing

@testable import SRTP

@Suite("The fan-out protector against libsrtp2")
struct FanoutProtectorTests {
    /// A subscriber of the test: its `EgressContext`, and libsrtp2 with the same key and the same rollover counter.
    private final class Subscriber {
        let key: SRTPKey
        let context: UnsafeMutablePointer<EgressContext>
        let reference: SRTPContext
        let ssrc: UInt32
        var index: UInt64

        init(
            _ suite: SRTPSuite, _ fan: borrowing FanoutProtector, _ random: inout SeededGenerator, index: UInt64
        ) throws {
            key = try SRTPKey(suite: suite, bytes: random.bytes(16 + suite.masterSaltLength))
            context = fan.makeContext(key: key)
            reference = try SRTPContext(key: key, direction: .outbound)
            ssrc = UInt32(truncatingIfNeeded: random.next())
            self.index = index
            try reference.addStream(ssrc: ssrc, rolloverCounter: UInt32(index >> 16), key: key)
        }

        func expected(_ packet: RandomPacket) throws -> [UInt8] {
            var bytes = packet.bytes + [UInt8](repeating: 0, count: 16)
            var length = packet.bytes.count
            try reference.protect(&bytes, length: &length, capacity: bytes.count)
            return Array(bytes.prefix(length))
        }
    }

    /// Indices shortly before the edges: the first sequence number, a wrap, a rollover counter above 16 bits, the last ones.
    private static let starts: [UInt64] = [
        0, 0x7ffe, 0xffdc, 0x1_ffe0, 0xffff_ffe0, 0x8000_0000_fff0, 0xffff_fffe_ffe0,
    ]

    private struct Case: Sendable, CustomTestStringConvertible {
        let suites: [SRTPSuite]
        let backend: FanoutProtector.Backend
        let inPlace: Bool
        var testDescription: String {
            let output = inPlace ? "in place" : "to another buffer"
            return "\(suites.map(\.sdesName)) \(backend) \(output)"
        }
    }

    private static let cases: [Case] =
        [[.aesCM128HMACSHA1_80], [.aesCM128HMACSHA1_32], [.aeadAES128GCM], SRTPSuite.allCases].flatMap { suites in
            [FanoutProtector.Backend.evp, .multiBuffer].flatMap { backend in
                [true, false].map { Case(suites: suites, backend: backend, inPlace: $0) }
            }
        }

    @Test("Every packet of a slab equals that of libsrtp2, and no other byte is changed", arguments: cases)
    private func bitExact(_ test: Case) throws {
        var random = SeededGenerator(seed: 0x5eed)
        let fan = FanoutProtector(test.backend)
        let subscribers = try (0..<21).map {
            try Subscriber(
                test.suites[$0 % test.suites.count], fan, &random, index: Self.starts[$0 % Self.starts.count])
        }
        defer { for subscriber in subscribers { fan.freeContext(subscriber.context) } }
        var seen = 0
        for round in 0..<24 {
            // Packets of one subscriber are adjacent; jobs are in any order.
            let packets = 1 + random.below(round % 4 == 0 ? 12 : 4)
            var slab: [UInt8] = []
            var wanted: [UInt8] = []
            var payloads: [UInt8] = []
            var layouts: [(subscriber: Subscriber, offset: Int, source: Int, header: Int, length: Int, index: UInt64)] =
                []
            let common = round % 2 == 0 ? random.below(1401) : nil
            for subscriber in subscribers {
                for _ in 0..<packets {
                    let length = common ?? random.below(random.below(4) == 0 ? 40 : 1401)
                    let packet = RandomPacket(
                        ssrc: subscriber.ssrc, sequenceNumber: UInt16(truncatingIfNeeded: subscriber.index),
                        payloadLength: length, using: &random, plain: common != nil)
                    layouts.append(
                        (subscriber, slab.count, payloads.count, packet.headerLength, length, subscriber.index))
                    wanted += try subscriber.expected(packet)
                    payloads += packet.bytes[packet.headerLength...]
                    slab += packet.bytes[..<packet.headerLength]
                    slab +=
                        test.inPlace
                        ? packet.bytes[packet.headerLength...] : ArraySlice(repeating: 0xee, count: length)
                    slab += repeatElement(0xee, count: subscriber.key.suite.tagLength)
                    subscriber.index += UInt64(1 + random.below(random.below(8) == 0 ? 3 : 1))
                }
            }
            slab += repeatElement(0xa5, count: 64)
            wanted += repeatElement(0xa5, count: 64)
            payloads.append(0)
            layouts.shuffle(using: &random)
            seen += layouts.count
            slab.withUnsafeMutableBufferPointer { slab in
                payloads.withUnsafeBufferPointer { payloads in
                    var jobs = layouts.map { layout in
                        let destination = slab.baseAddress! + layout.offset
                        return ProtectJob(
                            context: layout.subscriber.context, ssrc: layout.subscriber.ssrc, index: layout.index,
                            source: test.inPlace
                                ? UnsafePointer(destination + layout.header) : payloads.baseAddress! + layout.source,
                            destination: destination, headerLength: UInt32(layout.header),
                            payloadLength: UInt32(layout.length))
                    }
                    fan.protect(&jobs, count: jobs.count)
                }
            }
            if slab != wanted {
                let first = slab.indices.first { slab[$0] != wanted[$0] } ?? 0
                Issue.record("round \(round): byte \(first) of \(slab.count) differs")
                return
            }
        }
        #expect(seen > 1000)
    }

    @Test(
        "All payload lengths 0...1400 are exact", arguments: SRTPSuite.allCases,
        [FanoutProtector.Backend.evp, .multiBuffer])
    func lengths(_ suite: SRTPSuite, _ backend: FanoutProtector.Backend) throws {
        var random = SeededGenerator(seed: 7)
        let fan = FanoutProtector(backend)
        let subscriber = try Subscriber(suite, fan, &random, index: 0xfff0)
        defer { fan.freeContext(subscriber.context) }
        for length in 0...1400 {
            let packet = RandomPacket(
                ssrc: subscriber.ssrc, sequenceNumber: UInt16(truncatingIfNeeded: subscriber.index),
                payloadLength: length, using: &random)
            var bytes = packet.bytes + [UInt8](repeating: 0, count: suite.tagLength)
            bytes.withUnsafeMutableBufferPointer { bytes in
                var job = ProtectJob(
                    context: subscriber.context, ssrc: subscriber.ssrc, index: subscriber.index,
                    source: UnsafePointer(bytes.baseAddress! + packet.headerLength), destination: bytes.baseAddress!,
                    headerLength: UInt32(packet.headerLength), payloadLength: UInt32(length))
                fan.protect(&job, count: 1)
            }
            try #require(try bytes == subscriber.expected(packet), "payload of \(length) bytes")
            subscriber.index += 1
        }
    }

    @Test("An empty batch does nothing", arguments: [FanoutProtector.Backend.evp, .multiBuffer, .automatic])
    func empty(_ backend: FanoutProtector.Backend) {
        let fan = FanoutProtector(backend)
        #expect(fan.backend != .automatic)
        withUnsafeTemporaryAllocation(of: ProtectJob.self, capacity: 1) { fan.protect($0.baseAddress!, count: 0) }
    }

    @Test("One key context protects several SSRCs, each as its own stream")
    func manyStreams() throws {
        var random = SeededGenerator(seed: 3)
        let fan = FanoutProtector()
        let key = SRTPKey.random(for: .aesCM128HMACSHA1_80)
        let context = fan.makeContext(key: key)
        defer { fan.freeContext(context) }
        let receiver = try SRTPContext(key: key, direction: .inbound)
        for sequence in 0..<UInt16(50) {
            for ssrc in [UInt32(1), 2, .max] {
                let packet = RandomPacket(ssrc: ssrc, sequenceNumber: sequence, payloadLength: 99, using: &random)
                var bytes = packet.bytes + [UInt8](repeating: 0, count: 10)
                bytes.withUnsafeMutableBufferPointer { bytes in
                    var job = ProtectJob(
                        context: context, ssrc: ssrc, index: UInt64(sequence),
                        source: UnsafePointer(bytes.baseAddress! + packet.headerLength),
                        destination: bytes.baseAddress!, headerLength: UInt32(packet.headerLength), payloadLength: 99)
                    fan.protect(&job, count: 1)
                }
                var length = bytes.count
                try receiver.unprotect(&bytes, length: &length)
                #expect(Array(bytes.prefix(length)) == packet.bytes)
            }
        }
    }
}
