import Codecs
import MediaBase
import MillraceTestKit
import RTP
import Testing

@testable import Recording

/// Media by which a publisher could stop or spoil the recording of its own stream.
@Suite struct HostileRecordingTests {
    static let ntp: UInt64 = 0xe000_0000_1234_5678

    /// Checks that times of each track increase by a millisecond at least, and stay near those of the packets.
    func expectOrdered(_ outputs: [StreamRecording.Output], end: MediaTime = .seconds(4.2)) {
        for kind in MediaKind.allCases {
            let times = outputs.frames(kind).map(\.time)
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(1) })
            #expect(times.allSatisfy { $0 >= .zero && $0 <= end })
        }
    }

    @Test(
        "A damaged key frame is left out, and video continues with the next intact one",
        arguments: [
            ForgedPayload.keyFrame(width: 0, height: 0), ForgedPayload.keyFrame(width: 0, height: 120),
            ForgedPayload.keyFrame(width: 160, height: 0), ForgedPayload.keyFrame(width: 16_383, height: 16_383),
            ForgedPayload.keyFrame(width: 160, height: 120, partition: 400_000),
            [0x10, 0x10, 0, 0, 0x9d, 0x01], [0x10, 0x10], [0x10, 0x10, 0, 0, 1, 2, 3, 160, 0, 120, 0, 0],
        ])
    func damagedKeyFrame(payload: [UInt8]) {
        var recording = StreamRecording(kinds: [.audio, .video])
        let packets = TestStream(wallClock: Self.ntp).packets().forging(payload, after: 40)
        var outputs: [StreamRecording.Output] = []
        var wanted = false
        for packet in packets {
            recording.insert(packet)
            outputs += recording.outputs()
            if packet.frame == 45, packet.kind == .video { wanted = recording.needsKeyFrame }
        }
        recording.finish()
        outputs += recording.outputs()
        #expect(wanted)
        let expected = TestStream.video[...40] + TestStream.video[60...]
        #expect(outputs.frames(.video).map(\.bytes) == expected.map(\.bytes))
        #expect(outputs.frames(.audio).count == 200)
        #expect(outputs.starts.count == 1 && recording.statistics.damagedFrames == 1)
        expectOrdered(outputs)
    }

    @Test("A damaged key frame at the start does not keep the file from beginning")
    func damagedStart() {
        var recording = StreamRecording(kinds: [.audio, .video])
        var packets = TestStream(wallClock: Self.ntp).packets()
        for index in packets.indices where packets[index].kind == .video { packets[index].sequence += 1 }
        var forged = packets[0]
        forged.kind = .video
        forged.sequence = 65_500
        forged.marker = true
        forged.timestamp = TestStream().videoTicks - 3_000
        forged.payload = ForgedPayload.keyFrame(width: 0, height: 0)
        let outputs = recording.run([forged] + packets)
        #expect(outputs.starts.first?.width == TestStream.width && outputs.starts.count == 1)
        #expect(outputs.frames(.video).map(\.bytes) == TestStream.video.map(\.bytes))
    }

    @Test(
        "One frame far ahead or behind has no effect on others",
        arguments: [1 << 30, -(1 << 30), 1 << 31, 93_001, -95_000, 150_000] as [Int64])
    func oneFrameElsewhere(ticks: Int64) {
        for kind in MediaKind.allCases {
            var recording = StreamRecording(kinds: [.audio, .video])
            let packets = TestStream(wallClock: Self.ntp).packets().moving(kind, by: ticks) { $0 == 50 }
            let outputs = recording.run(packets)
            #expect(outputs.frames(.video).map(\.bytes) == TestStream.video.map(\.bytes))
            #expect(outputs.frames(.audio).count >= 198)
            #expect(recording.statistics.timeJumps >= 2)
            expectOrdered(outputs)
            // Later frames are at the position given by their arrival.
            #expect(
                abs((outputs.frames(.video)[119].time - .nanoseconds(119 * 1_000_000_000 / 30)).rawValue) < 50_000_000)
            let last = outputs.frames(.audio).last?.time ?? .zero
            #expect(abs((last - .milliseconds(199 * 20)).rawValue) < 50_000_000)
        }
    }

    @Test("If RTP time jumps with every frame, every frame is kept, in order and in time")
    func everyFrameJumps() {
        var recording = StreamRecording(kinds: [.audio, .video])
        let packets = TestStream(wallClock: Self.ntp).packets().map { packet in
            var packet = packet
            let step: Int64 = packet.kind == .video ? 1 << 31 : -(1 << 30)
            packet.timestamp &+= Int64(packet.frame) &* step
            return packet
        }
        let outputs = recording.run(packets)
        #expect(outputs.frames(.video).count == 120)
        #expect(outputs.frames(.audio).count >= 195)
        expectOrdered(outputs)
    }

    @Test("Frames with the same timestamp are one millisecond apart")
    func sameTimestamp() {
        var recording = StreamRecording(kinds: [.video])
        var packets = TestStream().packets(audio: [])
        for index in packets.indices where (10..<20).contains(packets[index].frame) {
            packets[index].timestamp = TestStream().videoTicks + 10 * 3_000 + Int64(packets[index].frame)
        }
        let outputs = recording.run(packets)
        #expect(outputs.frames(.video).count == 120)
        expectOrdered(outputs)
    }

    @Test(
        "Opus packets that decoders refuse are left out",
        arguments: [
            [0xff, 0xff], [0x03], [0x1b, 0x3f, 0, 0], [0x7b, 0x00], [0xfd, 1, 2], Array(repeating: 0xff, count: 9),
        ]
            as [[UInt8]])
    func damagedAudio(payload: [UInt8]) {
        var recording = StreamRecording(kinds: [.audio, .video])
        var packets = TestStream(wallClock: Self.ntp).packets()
        for index in packets.indices where packets[index].kind == .audio && packets[index].frame % 10 == 5 {
            packets[index].payload = payload
        }
        let outputs = recording.run(packets)
        let isRefused = (try? OpusPacketInfo(payload)) == nil
        #expect(outputs.frames(.audio).count == (isRefused ? 180 : 200))
        #expect(recording.statistics.damagedFrames == (isRefused ? 20 : 0))
    }

    @Test("The size of frames before the start is bounded: the file begins without waiting for reports")
    func heldBytes() {
        var recording = StreamRecording(kinds: [.audio, .video])
        var packets = TestStream().packets(audio: [])
        let large = [UInt8](repeating: 7, count: 120_000)
        var most = 0
        for index in packets.indices {
            packets[index].arrival = .seconds(100)
            if packets[index].frame > 0, packets[index].marker { packets[index].payload += large }
            recording.insert(packets[index])
            most = max(most, recording.heldBytes)
        }
        #expect(most > 1 << 20 && most <= 9 << 20)
        #expect(recording.outputs().starts.count == 1)
    }
}
