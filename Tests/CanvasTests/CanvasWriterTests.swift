import Canvas
import Containers
import MediaBase
import MillraceTestKit
import Testing

@Suite struct CanvasWriterTests {
    func frame(_ milliseconds: Int64, luma: UInt8, width: Int = 32, height: Int = 16) -> I420Frame {
        var frame = I420Frame(width: width, height: height)
        for index in frame.yRange { frame.bytes[index] = luma }
        frame.captureTime = .milliseconds(milliseconds)
        return frame
    }

    func written(_ frames: [I420Frame], rate: Int = 10) throws -> [I420Frame] {
        let sink = MemorySink()
        let writer = Y4MCanvasWriter(sink: sink, rate: rate)
        for frame in frames { #expect(writer.take(frame)) }
        writer.finish()
        #expect(writer.failure == nil)
        let reader = try Y4MReader(source: MemorySource(sink.bytes))
        #expect(reader.header.rate == rate * reader.header.scale)
        var frames: [I420Frame] = []
        while let frame = try reader.next() { frames.append(frame) }
        return frames
    }

    @Test("CAN-2: Y4M frames are placed by their time; a gap repeats a frame, excess frames are dropped")
    func pacing() throws {
        let frames = try written([
            frame(5000, luma: 50), frame(5101, luma: 60), frame(5120, luma: 70), frame(5398, luma: 80),
        ])
        #expect(frames.map { $0.bytes[0] } == [50, 60, 60, 60, 80])
    }

    @Test("A long pause is not filled")
    func pause() throws {
        let frames = try written([frame(0, luma: 50), frame(60_000, luma: 60), frame(60_100, luma: 70)])
        #expect(frames.map { $0.bytes[0] } == [50, 60, 70])
    }

    @Test("Another size is fitted into the first, with black borders")
    func sizeChange() throws {
        let frames = try written([
            frame(0, luma: 100), frame(100, luma: 100, width: 64, height: 32),
            frame(200, luma: 100, width: 16, height: 16),
            frame(300, luma: 100, width: 33, height: 5),
        ])
        #expect(frames.count == 4)
        for frame in frames { #expect(frame.width == 32 && frame.height == 16) }
        #expect(frames[1].bytes[frames[1].yRange].allSatisfy { $0 == 100 })
        let row = Array(frames[2].bytes[(8 * 32)..<(9 * 32)])
        #expect(row[0] == 16 && row[7] == 16 && row[8] == 100 && row[23] == 100 && row[24] == 16)
        #expect(frames[3].bytes[0] == 16 && frames[3].bytes[8 * 32 + 16] == 100)
    }

    @Test("Scaling preserves the image")
    func scaling() {
        let large = MovingImage(width: 320, height: 240).frame(7)
        let back = large.fitted(width: 160, height: 120).fitted(width: 320, height: 240)
        #expect(FrameDistance.psnr(large, back) > 24)
        #expect(large.fitted(width: 320, height: 240).bytes == large.bytes)
    }

    @Test("Rotation is applied if the format has none", arguments: Rotation.allCases)
    func rotation(_ rotation: Rotation) throws {
        var frame = MovingImage(width: 34, height: 18).frame(3)
        let plain = frame.bytes
        frame.rotation = rotation
        let upright = frame.upright()
        #expect(upright.rotation == .none)
        #expect(upright.width == (rotation == .none || rotation == .half ? 34 : 18))
        // Rotated further in quarter turns, until it is upright again.
        var turned = upright
        turned.rotation = Rotation(rawValue: (360 - rotation.rawValue) % 360) ?? .none
        #expect(turned.upright().bytes == plain)
        // New position of the top left corner after a clockwise turn.
        let corner: Int =
            switch rotation {
            case .none: 0
            case .quarter: 17
            case .half: 34 * 18 - 1
            case .threeQuarters: 33 * 18
            }
        #expect(upright.bytes[corner] == plain[0])
    }

    func wav(_ blocks: [PCMBlock]) throws -> [Int16] {
        let sink = MemorySink()
        let writer = WAVCanvasWriter(sink: sink)
        for block in blocks { #expect(writer.take(block)) }
        writer.finish()
        #expect(writer.failure == nil)
        let reader = try WAVReader(source: MemorySource(sink.bytes))
        #expect(reader.format == WAVFormat(sampleRate: 48_000, channels: 2))
        return try reader.read(frames: Int(reader.remainingFrames))
    }

    func block(_ milliseconds: Int64, value: Int16) -> PCMBlock {
        PCMBlock(channels: 2, samples: Array(repeating: value, count: 1920), captureTime: .milliseconds(milliseconds))
    }

    @Test("CAN-2: audio is placed by its time in WAV; a missing block is silence, an overlap is dropped")
    func wavTimeLine() throws {
        let samples = try wav([
            block(100, value: 1), block(120, value: 2), block(160, value: 4), block(140, value: 9),
            block(165, value: 5),
        ])
        #expect(samples.count == 2 * 48 * 85)
        func at(_ milliseconds: Int) -> Int16 { samples[milliseconds * 96] }
        #expect(at(0) == 1 && at(20) == 2 && at(40) == 0 && at(59) == 0 && at(60) == 4 && at(79) == 4 && at(80) == 5)
    }

    @Test("An error of the sink ends the tap and is kept")
    func failingSink() throws {
        let sink = StreamSink { _ throws(ContainerError) in
            throw ContainerError(.file, "pipe", .io(code: 32, call: "write"))
        }
        let video = Y4MCanvasWriter(sink: sink)
        #expect(!video.take(frame(0, luma: 1)))
        #expect(video.failure != nil)
        let audio = WAVCanvasWriter(sink: sink)
        #expect(!audio.take(block(0, value: 1)))
        #expect(audio.failure != nil)
    }
}
