import Canvas
import Codecs
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite struct VideoCanvasTests {
    /// Feeds packets and returns the resulting frames.
    func frames(_ packets: [SentPacket], to canvas: StreamCanvas) -> [I420Frame] {
        var frames: [I420Frame] = []
        func take() {
            while let output = canvas.nextOutput() {
                if case .frame(let frame) = output { frames.append(frame) }
            }
        }
        for packet in packets {
            canvas.handleTimeout(now: packet.arrival)
            packet.feed { canvas.insert($0) }
            take()
        }
        canvas.flush()
        take()
        return frames
    }

    @Test("CAN-1: every frame arrives, with its size and capture time")
    func everyFrame() throws {
        let canvas = try StreamCanvas()
        #expect(canvas.video.needsKeyFrame)
        let sent = try Synthetic.video(frames: 30)
        #expect(sent[0].count > 1)
        let got = frames(Array(sent.joined()), to: canvas)
        #expect(got.count == 30)
        let source = MovingImage(width: 160, height: 120)
        for (number, frame) in got.enumerated() {
            #expect(frame.width == 160 && frame.height == 120 && frame.rotation == .none)
            #expect(frame.captureTime == .seconds(1) + .nanoseconds(Int64(number) * 1_000_000_000 / 30))
            #expect(FrameDistance.psnr(frame, source.frame(number)) > 32)
        }
        #expect(!canvas.video.needsKeyFrame)
        #expect(canvas.video.decodedFrames == 30 && canvas.video.decodeErrors == 0)
    }

    @Test("CAN-3 frames are returned upright, by the rotation of each frame's last packet")
    func rotation() throws {
        let canvas = try StreamCanvas()
        let rotations: [Rotation] = [.none, .quarter, .half, .threeQuarters, .none]
        var sent = try Synthetic.video(frames: rotations.count)
        for number in sent.indices { sent[number][sent[number].count - 1].rotation = rotations[number] }
        let got = frames(Array(sent.joined()), to: canvas)
        #expect(got.count == rotations.count)
        let source = MovingImage(width: 160, height: 120)
        for (number, frame) in got.enumerated() {
            let isSideways = rotations[number] == .quarter || rotations[number] == .threeQuarters
            #expect(frame.width == (isSideways ? 120 : 160) && frame.height == (isSideways ? 160 : 120))
            var expected = source.frame(number)
            expected.rotation = rotations[number]
            #expect(frame.rotation == .none && FrameDistance.psnr(frame, expected.upright()) > 32)
        }
    }

    @Test("Reordered and duplicated packets change nothing")
    func reordered() throws {
        var random = SeededGenerator(seed: 3)
        let packets = Array(try Synthetic.video(frames: 20).joined())
        var mixed: [SentPacket] = [packets[0]]
        for start in stride(from: 1, to: packets.count, by: 4) {
            mixed += packets[start..<min(start + 4, packets.count)].shuffled(using: &random)
            mixed.append(packets[start])
        }
        let (straight, crooked) = (try StreamCanvas(), try StreamCanvas())
        #expect(frames(packets, to: straight).map(\.bytes) == frames(mixed, to: crooked).map(\.bytes))
        #expect(crooked.video.lostPackets == 0)
    }

    @Test("After a loss no frame is returned until a key frame, and one is requested")
    func loss() throws {
        let sent = try Synthetic.video(frames: 60, keyFrameInterval: 30)
        var packets = Array(sent[..<10].joined())
        packets += sent[10].dropFirst()
        packets += Array(sent[11..<25].joined())
        let canvas = try StreamCanvas()
        #expect(frames(packets, to: canvas).count == 10)
        #expect(canvas.video.needsKeyFrame && canvas.video.lostPackets >= 1)
        let rest = frames(Array(sent[25...].joined()), to: canvas)
        #expect(rest.count == 30)
        #expect(rest.first?.captureTime == .seconds(2))
        let source = MovingImage(width: 160, height: 120)
        for (index, frame) in rest.enumerated() {
            #expect(FrameDistance.psnr(frame, source.frame(30 + index)) > 32)
        }
    }

    @Test("The frame size may change")
    func sizeChange() throws {
        let canvas = try StreamCanvas()
        let first = try Synthetic.video(frames: 5)
        let next = try #require(first.last?.last?.sequence) + 1
        let second = try Synthetic.video(width: 96, height: 64, frames: 5, firstSequence: next, firstFrame: 5)
        let got = frames(Array((first + second).joined()), to: canvas)
        #expect(got.map(\.width) == Array(repeating: 160, count: 5) + Array(repeating: 96, count: 5))
    }

    @Test("10,000 damaged packets do not trap, and decoding recovers at a key frame")
    func damage() throws {
        var random = SeededGenerator(seed: 11)
        let good = Array(
            try Synthetic.video(width: 64, height: 48, frames: 30, keyFrameInterval: 5, mtu: 200).joined())
        let canvas = try StreamCanvas()
        var sequence: Int64 = 0
        for round in 0..<10_000 {
            var packet = good[random.below(good.count)]
            sequence += Int64(random.below(3))
            packet.sequence = sequence
            packet.timestamp += Int64(round / 8) * 3000
            packet.arrival = .milliseconds(Int64(round))
            if random.below(2) == 0, !packet.payload.isEmpty {
                packet.payload[random.below(min(20, packet.payload.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.below(5) == 0 { packet.payload = Array(packet.payload.prefix(random.below(8))) }
            canvas.handleTimeout(now: packet.arrival)
            packet.feed { canvas.insert($0) }
            while canvas.nextOutput() != nil {}
        }
        let end = try Synthetic.video(
            width: 64, height: 48, frames: 3, firstSequence: sequence + 50, firstFrame: 5000)
        #expect(frames(Array(end.joined()), to: canvas).suffix(3).map(\.width) == [64, 64, 64])
    }

    /// Returns the packets with random bytes behind their descriptors, as with a publisher's end-to-end encryption.
    static func encrypted(_ packets: [SentPacket], seed: UInt64) throws -> [SentPacket] {
        var random = SeededGenerator(seed: seed)
        return try packets.map { packet in
            var packet = packet
            let header = try packet.payload.withUnsafeBytes { try VP8PayloadDescriptor(parsing: $0).headerLength }
            for index in header..<packet.payload.count {
                packet.payload[index] = UInt8(truncatingIfNeeded: random.next())
            }
            return packet
        }
    }

    @Test("CAN-2: encrypted video is detected within a second, with any key", arguments: 1...20)
    func encrypted(seed: UInt64) throws {
        let canvas = try StreamCanvas()
        let sent = Array(try Synthetic.video(frames: 30, keyFrameInterval: 10).joined())
        #expect(frames(try Self.encrypted(sent, seed: seed), to: canvas).isEmpty)
        #expect(canvas.video.isUndecodable)
    }

    @Test("CAN-2: frames that are too large are detected after two key frames")
    func tooLarge() throws {
        let canvas = try StreamCanvas(maximumPixels: 100)
        let sent = try Synthetic.video(frames: 12, keyFrameInterval: 10)
        #expect(frames(Array(sent.prefix(10).joined()), to: canvas).isEmpty)
        #expect(!canvas.video.isUndecodable)
        #expect(frames(Array(sent.dropFirst(10).joined()), to: canvas).isEmpty)
        #expect(canvas.video.isUndecodable)
    }

    @Test("CAN-2: video without a key frame, or with losses, is not taken for encrypted")
    func onlyDelayed() throws {
        let canvas = try StreamCanvas()
        let sent = try Synthetic.video(frames: 61, keyFrameInterval: 60)
        // The first key frame is missing, and every seventh packet is lost.
        let packets = Array(sent.dropFirst().prefix(59).joined())
        let lossy = packets.enumerated().filter { $0.offset % 7 != 3 }.map(\.element)
        #expect(frames(lossy, to: canvas).isEmpty && !canvas.video.isUndecodable)
        #expect(frames(Array(sent[60...].joined()), to: canvas).count == 1 && !canvas.video.isUndecodable)
    }
}
