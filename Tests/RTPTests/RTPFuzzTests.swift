import MediaBase
import MillraceTestKit
import RTP
import Testing

/// A million inputs; STUNTests has more. Each test also checks that enough damaged inputs still parse, so that all parts
/// of a parser are reached.
@Suite("No input traps a parser of RTP")
struct RTPFuzzTests {
    static func packets() throws -> [[UInt8]] {
        try TestVector.datagrams("captures/ffmpeg-5.1-vp8.hex", "rtp").map { Array($0.prefix(80)) } + [
            RTPHeaderTests.plain, RTPHeaderTests.everything,
            [0x90, 111, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0x10, 0, 0, 2, 1, 0, 2, 1, 9, 0, 3, 1, 0xf8, 1, 2],
        ]
    }

    @Test func rtpHeaderAndExtensions() throws {
        var parsed = 0
        var elements = 0
        var room = [UInt8](repeating: 0, count: 4_096)
        try MutationFuzzer(corpus: Self.packets(), seed: 1).run(count: 250_000) { packet in
            guard let header = try? RTPHeader(parsing: packet) else { return }
            parsed += 1
            var sum = header.packetLength == packet.count ? 0 : 1_000_000_000
            for element in header.extensions(in: packet) {
                elements += 1
                for index in element.offset..<(element.offset + element.length) { sum += Int(packet[index]) }
            }
            if sum >= 1_000_000_000 { Issue.record("the parts do not add up to the packet") }
            if parsed % 8 == 0 { room.withUnsafeMutableBytes { _ = header.write(into: $0) } }
        }
        #expect(parsed > 50_000 && elements > 20_000)
    }

    @Test func headerExtensionElements() {
        let corpus: [[UInt8]] = [
            [0x10, 0xa0, 0x21, 0xb0, 0xb1, 0, 0, 0x33, 0xc0, 0xc1, 0xc2, 0xc3],
            [1, 0, 2, 1, 0xb0, 0, 3, 4, 1, 2, 3, 4],
        ]
        var elements = 0
        MutationFuzzer(corpus: corpus, seed: 2).run(count: 100_000) { bytes in
            for profile in [0xbede, 0x1000] as [UInt16] {
                for element in RTPHeaderExtensions(profile: profile, packet: bytes, offset: 0, length: bytes.count) {
                    elements += 1
                    if element.offset + element.length > bytes.count { Issue.record("an element leaves the packet") }
                }
            }
        }
        #expect(elements > 100_000)
    }

    @Test func vp8PayloadDescriptor() {
        let corpus: [[UInt8]] = [
            [0x90, 0xf0, 0x80, 0x01, 0x02, 0x40, 0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x05, 0xd0, 0x02, 0],
            [0x90, 0x80, 0x11, 0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x05, 0xd0, 0x02], [0x10, 0x01],
        ]
        var parsed = 0
        var sized = 0
        MutationFuzzer(corpus: corpus, seed: 3).run(count: 200_000) { payload in
            guard let descriptor = try? VP8PayloadDescriptor(parsing: payload) else { return }
            parsed += 1
            if descriptor.headerLength >= payload.count { Issue.record("a descriptor without payload") }
            if descriptor.keyFrameSize(in: payload) != nil { sized += 1 }
            var copy: (UInt64, UInt64) = (0, 0)
            withUnsafeMutableBytes(of: &copy) { copy in
                if let base = copy.baseAddress { descriptor.patch(pictureID: 1, tl0PicIdx: 2, in: base) }
            }
        }
        #expect(parsed > 100_000 && sized > 10_000)
    }

    @Test func opusPayload() {
        var parsed = 0
        MutationFuzzer(corpus: [[0xfc, 1, 2, 3], [0xff, 0xc6, 0], [0x03, 0x01]], seed: 4).run(count: 100_000) {
            payload in
            guard let facts = try? OpusPayload(parsing: payload) else { return }
            parsed += 1
            if facts.sampleCount > 5_760 || facts.sampleCount < 120 { Issue.record("\(facts)") }
        }
        #expect(parsed > 50_000)
    }

    @Test func redundantAudio() {
        let corpus: [[UInt8]] = [
            [0xef, 0x0f, 0x00, 0x03, 0x6f, 1, 2, 3, 4, 5, 6, 7], [0x6f, 1, 2],
            [0xef, 0x1e, 0x00, 0x01, 0xef, 0x0f, 0x00, 0x02, 0x6f, 1, 2, 3, 4],
        ]
        var parsed = 0
        MutationFuzzer(corpus: corpus, seed: 5).run(count: 100_000) { payload in
            guard let red = try? REDPayload(parsing: payload) else { return }
            parsed += 1
            if red.primaryOffset >= payload.count { Issue.record("no primary block in \(red)") }
        }
        #expect(parsed > 5_000)
    }

    @Test func rtcp() throws {
        let feedback = TransportCCTests.feedback(base: 65_530, count: 30, [(65_530, 1), (2, -4), (3, 200), (10, 7)])
        var compound = written(
            SenderReport(
                sender: SSRC(1), ntpTime: NTPTime(rawValue: 2), rtpTimestamp: RTPTimestamp(3), packetCount: 4,
                octetCount: 5,
                blocks: [RTCPTests.block]
            ).write)
        SDES(chunks: [.init(source: SSRC(1), cname: "name")]).write(into: &compound)
        let single: [(inout [UInt8]) -> Void] = [
            feedback.write, ReceiverReport(sender: SSRC(1), blocks: [RTCPTests.block, RTCPTests.block]).write,
            GenericNACK(sender: SSRC(1), media: SSRC(2), sequences: [1, 2, 9, 40].map { SequenceNumber($0) }).write,
            PLI(sender: SSRC(1), media: SSRC(2)).write,
            FIR(sender: SSRC(1), entries: [.init(source: SSRC(2), sequence: 3)]).write,
            REMB(sender: SSRC(1), bitrate: .kilobits(900), sources: [SSRC(1), SSRC(2)]).write,
            BYE(sources: [SSRC(1)], reason: "bye").write,
            APP(sender: SSRC(1), subtype: 2, name: 5, words: [3, 4, 5]).write,
            { $0 += [0x80, 207, 0, 4, 0, 0, 0, 1, 4, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1] },
        ]
        var parsed: [RTCPKind: Int] = [:]
        MutationFuzzer(corpus: single.map(written) + [compound], seed: 5).run(count: 200_000) { datagram in
            guard let packets = try? RTCPCompound(parsing: datagram) else { return }
            for packet in packets where (try? Self.readAndWrite(packet)) != nil { parsed[packet.kind, default: 0] += 1 }
        }
        for kind in RTCPKind.allCases where kind != .other { #expect(parsed[kind, default: 0] > 500, "\(kind)") }
    }

    /// Reads a packet of any kind and writes the result.
    static func readAndWrite(_ packet: RTCPPacket) throws {
        var bytes: [UInt8] = []
        switch packet.kind {
        case .senderReport: try SenderReport(parsing: packet).write(into: &bytes)
        case .receiverReport: try ReceiverReport(parsing: packet).write(into: &bytes)
        case .sdes: try SDES(parsing: packet).write(into: &bytes)
        case .bye: try BYE(parsing: packet).write(into: &bytes)
        case .genericNACK: try GenericNACK(parsing: packet).write(into: &bytes)
        case .transportCC:
            // Written elsewhere: 65,535 statuses take long in a debug build.
            try TransportCC(parsing: packet).forEachArrival { _, _ in }
        case .pli: try PLI(parsing: packet).write(into: &bytes)
        case .fir: try FIR(parsing: packet).write(into: &bytes)
        case .remb: try REMB(parsing: packet).write(into: &bytes)
        case .xr: break
        case .other: try APP(parsing: packet).write(into: &bytes)
        }
    }

    @Test func frameAssembly() {
        let packets = VP8FrameAssemblerTests.stream(frames: 6, keyFrameEvery: 3).packets.prefix(12)
        let corpus = packets.map { Array($0.payload.prefix(40)) }
        var random = SeededGenerator(seed: 6)
        var assembler = FrameAssembler(packetCapacity: 32, byteCapacity: 2_000)
        var frames = 0
        var now: Int64 = 0
        MutationFuzzer(corpus: corpus, seed: 7).run(count: 50_000) { payload in
            now += 1
            let wild = random.next()
            let sequence = wild & 0xff == 0 ? Int64(bitPattern: wild) : now - Int64(wild >> 60)
            assembler.insert(
                sequence: sequence, timestamp: now / 4, marker: wild & 0x300 == 0, payload: payload,
                now: .milliseconds(now))
            assembler.handleTimeout(now: .milliseconds(now))
            while let event = assembler.nextEvent() {
                if case .frame = event { frames += 1 }
            }
            if now % 1_000 == 0 { assembler = FrameAssembler(packetCapacity: 32, byteCapacity: 2_000) }
        }
        #expect(frames > 100)
    }
}
