import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SRTP
import Testing

extension EngineTests {
    @Suite("Hostile input")
    struct HostileInput {
        /// Returns the number of datagrams dropped on arrival, for all causes.
        private func dropped(_ counters: EngineCounters) -> UInt64 { counters.dropped.reduce(0) { $0 + $1.count } }

        private func count(_ counters: EngineCounters, _ cause: String) -> UInt64 {
            counters.dropped.first { $0.cause == cause }!.count
        }

        @Test(
            "Each kind of bad datagram is counted under its cause, and the stream beside it arrives complete",
            arguments: [EngineConfiguration.Offload.automatic, .off], SRTPSuite.allCases)
        func causes(_ offload: EngineConfiguration.Offload, _ suite: SRTPSuite) async throws {
            let engine = try EngineTests.engine { $0.offload = offload }
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine, suite: suite)
            let subscriber = try await TestSubscriber(engine, suite: suite)
            let stranger = try Endpoint()
            var sent: [SourcePacket] = []
            var total: UInt64 = 0

            /// Sends `datagram` three times between good packets and waits until it is counted.
            func expectDropped(_ cause: String, rtcp: Bool = false, _ datagram: () throws -> [UInt8]) async throws {
                let before = await engine.counters()
                for _ in 0..<3 {
                    let bytes = try datagram()
                    stranger.send(bytes, to: rtcp ? publisher.rtcpPort : publisher.port)
                    let frame = publisher.video.frame(isKey: sent.isEmpty)
                    sent += frame
                    try publisher.send(frame)
                }
                total += 3
                let after = try await EngineTests.counters(of: engine) { count($0, cause) == count(before, cause) + 3 }
                #expect(count(after, cause) == count(before, cause) + 3, "\(cause)")
                #expect(dropped(after) == total, "\(cause)")
            }

            func altered(_ change: (inout [UInt8]) -> Void) throws -> [UInt8] {
                var bytes = try publisher.protected(publisher.audio.audioPacket())
                change(&bytes)
                return bytes
            }
            try await expectDropped("unknown_ssrc") { try altered { $0[8] ^= 1 } }
            try await expectDropped("authentication") { try altered { $0[$0.count - 1] ^= 1 } }
            try await expectDropped("authentication") { try altered { $0[12] ^= 0x80 } }
            try await expectDropped("authentication") { try altered { $0[1] ^= 1 } }
            try await expectDropped("authentication") { try altered { $0.removeLast() } }
            try await expectDropped("authentication") {
                // Encrypted with another key.
                let key = SRTPKey.random(for: suite)
                let context = try SRTPContext(key: key, direction: .outbound)
                var bytes = SyntheticSource.bytes(of: publisher.audio.audioPacket())
                var length = bytes.count
                bytes += [UInt8](repeating: 0, count: 160)
                try bytes.withUnsafeMutableBytes {
                    try context.protect($0.baseAddress!, length: &length, capacity: $0.count)
                }
                return Array(bytes[0..<length])
            }
            let good = try publisher.protected(publisher.audio.audioPacket())
            publisher.rtp.send(good, to: publisher.port)
            try await expectDropped("replay") { good }
            try await expectDropped("malformed") { Array(good[0..<11]) }
            try await expectDropped("malformed") { Array(good[0..<12]) }
            try await expectDropped("malformed") {
                try altered {
                    $0[0] = 0x9f; $0.removeLast($0.count - 40)
                }
            }
            try await expectDropped("oversized") { good + [UInt8](repeating: 0, count: 2049 - good.count) }
            try await expectDropped("oversized") { good + [UInt8](repeating: 0, count: 60_000) }
            try await expectDropped("unknown_kind") { [0xff, 1, 2, 3] }
            try await expectDropped("unknown_kind") { [0x80] }
            try await expectDropped("unknown_kind") { [0, 1, 0, 8, 0x21, 0x12, 0xa4, 0x42] }  // STUN
            try await expectDropped("unknown_kind", rtcp: true) { good }
            try await expectDropped("payload_type") {
                var packet = publisher.audio.audioPacket()
                packet.header.payloadType = PayloadType(101)
                return try publisher.protected(packet)
            }
            try await expectDropped("malformed") {
                var packet = publisher.video.frame(isKey: false, packets: 1)[0]
                packet.payload = [0x90, 0x80]
                packet.header.payloadLength = 2
                return try publisher.protected(packet)
            }
            func report() throws -> [UInt8] {
                try publisher.protectedRTCP { ReceiverReport(sender: publisher.audio.ssrc).write(into: &$0) }
            }
            for rtcp in [false, true] {
                try await expectDropped("rtcp_malformed", rtcp: rtcp) { [0x80, 200, 0, 1] }
                try await expectDropped("rtcp_unknown", rtcp: rtcp) { [0x80, 200, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8] }
                try await expectDropped("rtcp_authentication", rtcp: rtcp) {
                    var bytes = try report()
                    bytes[bytes.count - 5] ^= 1
                    return bytes
                }
                try await expectDropped("rtcp_authentication", rtcp: rtcp) { Array(try report()[0..<12]) }
            }
            let replayed = try report()
            stranger.send(replayed, to: publisher.rtcpPort)
            try await expectDropped("rtcp_authentication", rtcp: true) { replayed }
            try await expectDropped("rtcp_malformed", rtcp: true) {
                // Authentic but not valid RTCP: the length field exceeds the datagram.
                try publisher.protectedRTCP {
                    ReceiverReport(sender: publisher.audio.ssrc).write(into: &$0); $0[3] = 9
                }
            }

            let got = try subscriber.collect(sent.count, from: publisher.video)
            #expect(got.map(\.payload) == sent.map(\.payload))
            #expect(subscriber.streams.packets(from: publisher.audio.id).map(\.payload.count) == [120])
        }

        @Test("Floods of random bytes: every datagram is counted once, none is forwarded", arguments: UInt64(1)...4)
        func garbage(_ seed: UInt64) async throws {
            var random = SeededGenerator(seed: seed)
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine)
            let subscriber = try await TestSubscriber(engine)
            let stranger = try Endpoint()
            let template = try publisher.protected(publisher.audio.audioPacket())
            var frames: [SourcePacket] = []
            var datagrams: UInt64 = 0
            for round in 0..<20 {
                for _ in 0..<200 {
                    var bytes: [UInt8]
                    switch random.below(4) {
                    case 0: bytes = random.bytes(1 + random.below(200))
                    case 1:
                        // Resembles RTP or RTCP of a known SSRC.
                        bytes = random.bytes(12 + random.below(1500))
                        bytes[0] = 0x80 | bytes[0] & 0x3f
                        for i in 0..<4 { bytes[(random.below(2) == 0 ? 4 : 8) + i] = template[8 + i] }
                    case 2:
                        bytes = template
                        for _ in 0...random.below(4) { bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8)) }
                        if bytes == template { bytes[20] ^= 1 }
                    default:
                        bytes = template
                        bytes.removeLast(1 + random.below(bytes.count - 1))
                    }
                    stranger.send(bytes, to: random.below(3) == 0 ? publisher.rtcpPort : publisher.port)
                    datagrams += 1
                }
                let frame = publisher.video.frame(isKey: round == 0)
                frames += frame
                try publisher.send(frame)
                _ = try await EngineTests.counters(of: engine) {
                    dropped($0) == datagrams && $0.packetsReceived == UInt64(frames.count)
                }
            }
            let counters = await engine.counters()
            #expect(dropped(counters) == datagrams)
            #expect(counters.packetsForwarded == UInt64(frames.count) && counters.rtcpReceived == 0)
            #expect(try subscriber.collect(frames.count, from: publisher.video).map(\.payload) == frames.map(\.payload))
            try subscriber.drain()
            #expect(subscriber.streams.datagramCount == frames.count)
        }

        @Test("Random feedback under a subscriber's own keys affects no one else", arguments: UInt64(1)...3)
        func authenticGarbage(_ seed: UInt64) async throws {
            var random = SeededGenerator(seed: seed)
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let publisher = try await TestPublisher(engine)
            let hostile = try await TestSubscriber(engine, mux: true)
            hostile.relayPort = publisher.rtcpPort - 1
            let subscriber = try await TestSubscriber(engine, mux: true)
            try publisher.send(publisher.video.frame(isKey: true))
            #expect(try subscriber.collect(4, from: publisher.video).count == 4)
            let kinds: [(UInt8, UInt8)] = [
                (205, 1), (205, 15), (206, 1), (206, 4), (206, 15), (200, 0), (201, 1), (202, 1), (203, 1), (207, 0),
            ]
            for i in 0..<500 {
                try hostile.sendRTCP { bytes in
                    let (type, count) = kinds[random.below(kinds.count)]
                    let words = random.below(40)
                    bytes = random.bytes(8 + words * 4)
                    bytes[0] = 0x80 | (random.below(4) == 0 ? UInt8(random.below(32)) : count)
                    bytes[1] = type
                    bytes[2] = 0
                    bytes[3] = UInt8(words + 1)
                    bytes[4...7] = [0, 0, 0, 7]
                    if words > 0, random.below(2) == 0 {
                        let ssrc = hostile.ssrc(.video).rawValue
                        for b in 0..<4 { bytes[8 + b] = UInt8(truncatingIfNeeded: ssrc >> UInt32(24 - 8 * b)) }
                    }
                }
                if i % 10 == 0 { try publisher.send(publisher.video.frame(isKey: false)) }
            }
            let got = try subscriber.collect(4 + 200, from: publisher.video)
            #expect(got.map(\.sequence) == (0..<204).map { got[0].sequence + $0 })
            let counters = try await EngineTests.counters(of: engine) {
                $0.rtcpReceived + $0.droppedMalformedRTCP >= 500
            }
            #expect(counters.rtcpReceived + counters.droppedMalformedRTCP >= 500)
            #expect(counters.keyFrameRequestsSent <= 20)
        }

        @Test("Jumps in one publisher's sequence numbers do not affect other publishers")
        func leaps() async throws {
            let engine = try EngineTests.engine()
            defer { engine.stop() }
            let leaper = try await TestPublisher(engine, stream: "leaper", id: 1, kinds: [.video])
            let steady = try await TestPublisher(engine, stream: "steady", id: 2, kinds: [.video])
            let subscriber = try await TestSubscriber(
                engine, stream: PlainTransportRequest.allStreams, mux: true, kinds: [.video])
            var frames: [SourcePacket] = []
            for i in 0..<200 {
                let packet = leaper.video.frame(isKey: i % 10 == 0, packets: 1)
                try leaper.send(packet)
                leaper.video.nextIndex += Int64([0, 1, 5, 900, 1_100, 2_047, 2_048, 30_000][i % 8])
                let frame = steady.video.frame(isKey: i == 0)
                frames += frame
                try steady.send(frame)
            }
            #expect(try subscriber.collect(frames.count, from: steady.video).map(\.payload) == frames.map(\.payload))
            let leaped = try subscriber.collect(200, from: leaper.video)
            #expect(leaped.allSatisfy { $0.sequence - leaped[0].sequence == $0.index - leaped[0].index })
        }
    }
}
