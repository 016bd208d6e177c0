import Codecs
import Containers
import Foundation
import MediaBase

/// Encoded frames and audio, made once.
enum TestMedia {
    struct Video {
        var bytes: [UInt8]
        var isKeyframe: Bool
    }

    static let width = 160
    static let height = 120
    static let framesPerSecond = 30

    /// Returns a moving pattern with content in every plane.
    static func frame(_ index: Int, width: Int = width, height: Int = height) -> I420Frame {
        var frame = I420Frame(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width { frame.bytes[y * width + x] = UInt8(16 + (x * 2 + y + index * 5) % 220) }
        }
        for index2 in frame.uRange { frame.bytes[index2] = UInt8(64 + (index2 + index) % 128) }
        for index2 in frame.vRange { frame.bytes[index2] = UInt8(64 + (index2 / 2 + index) % 128) }
        return frame
    }

    /// Three seconds, a key frame each second.
    static let video: [Video] = encodeVideo(count: 90, keyInterval: 30)

    static func encodeVideo(count: Int, keyInterval: Int, width: Int = width, height: Int = height) -> [Video] {
        do {
            let encoder = try VP8Encoder(
                VP8EncoderConfiguration(
                    width: width, height: height, bitrate: .kilobits(300), keyFrameInterval: keyInterval))
            return try (0..<count).compactMap { index in
                try encoder.encode(frame(index, width: width, height: height), timestamp: Int64(index) * 3000)
                    .map { Video(bytes: $0.bytes, isKeyframe: $0.isKeyFrame) }
            }
        } catch {
            preconditionFailure("the encoder of the tests failed: \(error)")
        }
    }

    /// Three seconds of a 440 Hz tone in packets of 20 ms.
    static let audio: [[UInt8]] = {
        do {
            let encoder = try OpusEncoder(channels: 2, bitrate: .kilobits(64))
            return try (0..<150).map { packet in
                let samples = (0..<960).flatMap { index -> [Int16] in
                    let value = Int16(8000 * sin(2 * Double.pi * 440 * Double(packet * 960 + index) / 48_000))
                    return [value, value]
                }
                return try encoder.encode(PCMBlock(channels: 2, samples: samples))
            }
        } catch {
            preconditionFailure("the encoder of the tests failed: \(error)")
        }
    }()

    enum Block {
        case video(MediaTime, Video)
        case audio(MediaTime, [UInt8])

        var time: MediaTime {
            switch self {
            case .video(let time, _), .audio(let time, _): time
            }
        }
    }

    /// Both tracks in order of time.
    static let interleaved: [Block] = {
        let videoFrames = TestMedia.video.enumerated().map { index, frame in
            Block.video(.nanoseconds(Int64(index) * 1_000_000_000 / Int64(framesPerSecond)), frame)
        }
        let audioFrames = TestMedia.audio.enumerated().map { index, packet in
            Block.audio(.milliseconds(Int64(index) * 20), packet)
        }
        return (videoFrames + audioFrames).sorted { $0.time < $1.time }
    }()

    static let webMConfiguration = WebMConfiguration(
        video: .init(width: width, height: height), audio: .init(channels: 2), date: 1_700_000_000_000_000_000)

    static func write(_ block: Block, to writer: WebMWriter) throws {
        switch block {
        case .video(let time, let frame):
            try writer.write(
                .video, timestamp: time, duration: .milliseconds(33), isKeyframe: frame.isKeyframe, bytes: frame.bytes)
        case .audio(let time, let packet):
            try writer.write(
                .audio, timestamp: time, duration: .milliseconds(20), isKeyframe: true, bytes: packet)
        }
    }

    /// Writes all of it as one WebM file.
    static func webM(sink: any ByteSink, finish: Bool = true) throws {
        let writer = try WebMWriter(sink: sink, configuration: webMConfiguration)
        for block in interleaved { try write(block, to: writer) }
        if finish { try writer.finish() } else { try writer.flush() }
    }

    static func webMBytes(finished: Bool = true, seekable: Bool = true) throws -> [UInt8] {
        let sink = MemorySink(canOverwrite: seekable)
        try webM(sink: sink, finish: finished)
        return sink.bytes
    }

    static func oggBytes() throws -> [UInt8] {
        let sink = MemorySink()
        let writer = try OggOpusWriter(
            sink: sink, head: OpusHead(channels: 2, preSkip: 312), comments: ["TITLE=tone"])
        for packet in audio { try writer.write(packet) }
        try writer.finish()
        return sink.bytes
    }

    static func ivfBytes() throws -> [UInt8] {
        let sink = MemorySink()
        let writer = try IVFWriter(sink: sink, header: IVFHeader(width: width, height: height, rate: framesPerSecond))
        for (index, frame) in video.enumerated() { try writer.write(timestamp: Int64(index), bytes: frame.bytes) }
        try writer.finish()
        return sink.bytes
    }
}
