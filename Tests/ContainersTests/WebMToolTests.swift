import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Containers

/// ffprobe and ffmpeg agree with the written file at every stage of its life.
@Suite(
    .enabled(if: MediaTool.ffprobe.isInstalled && MediaTool.ffmpeg.isInstalled, "ffmpeg and ffprobe are not installed"))
struct WebMToolTests {
    private let folder = TemporaryFolder()

    struct Probe: Decodable {
        struct Stream: Decodable {
            var codec_name: String
            var nb_read_packets: String?
            var nb_read_frames: String?
            var width: Int?
            var height: Int?
            var channels: Int?
            var sample_rate: String?
        }
        struct Format: Decodable { var duration: String? }
        var streams: [Stream]
        var format: Format
    }

    private func probe(_ path: String) throws -> Probe {
        let output = try MediaTool.ffprobe.run([
            "-v", "error", "-count_frames", "-count_packets", "-show_streams", "-show_format", "-of", "json", path,
        ])
        #expect(output.status == 0, "\(output.errors)")
        return try JSONDecoder().decode(Probe.self, from: Data(output.bytes))
    }

    /// Decodes the file; returns ffmpeg's complaints.
    private func complaints(_ path: String) throws -> String {
        let output = try MediaTool.ffmpeg.run(["-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
        #expect(output.status == 0)
        return output.errors
    }

    private func expectWhole(_ probe: Probe) {
        #expect(probe.streams.map(\.codec_name) == ["vp8", "opus"])
        #expect(probe.streams[0].nb_read_frames == "\(TestMedia.video.count)")
        #expect(probe.streams[1].nb_read_packets == "\(TestMedia.audio.count)")
        #expect(probe.streams[0].width == TestMedia.width && probe.streams[0].height == TestMedia.height)
        #expect(probe.streams[1].channels == 2 && probe.streams[1].sample_rate == "48000")
    }

    @Test func afterClose() throws {
        let path = folder.file("closed.webm")
        try TestMedia.webM(sink: FileSink(path: path))
        let result = try probe(path)
        expectWhole(result)
        #expect(abs((Double(result.format.duration ?? "") ?? 0) - 3.0) < 0.05)
        #expect(try complaints(path) == "")
        // Cues work: a seek to 2.1 s begins at the key frame before it.
        let seek = try MediaTool.ffprobe.run([
            "-v", "error", "-read_intervals", "2.1%+0.2", "-select_streams", "v", "-show_entries",
            "packet=pts_time,flags",
            "-of", "csv=p=0", path,
        ])
        #expect(seek.text.hasPrefix("2.0"), "\(seek.text)")
    }

    @Test func whileBeingWritten() throws {
        let path = folder.file("live.webm")
        let writer = try WebMWriter(sink: FileSink(path: path), configuration: TestMedia.webMConfiguration)
        var written = 0
        for (index, block) in TestMedia.interleaved.enumerated() {
            try TestMedia.write(block, to: writer)
            written += 1
            guard [40, 130, 239].contains(index) else { continue }
            let result = try probe(path)
            let packets = result.streams.reduce(0) { $0 + (Int($1.nb_read_packets ?? "") ?? 0) }
            // Up to a flush interval may still be in memory: 0.2 s are 16 blocks.
            #expect(packets > written - 20 && packets <= written)
            #expect(try complaints(path) == "")
        }
        try writer.finish()
        expectWhole(try probe(path))
    }

    @Test func afterKillAtAnyByteOfTheLastSecond() throws {
        let bytes = try TestMedia.webMBytes(finished: false)
        let last = bytes.indices.reversed().first { bytes[$0...].starts(with: [0x1f, 0x43, 0xb6, 0x75]) } ?? 0
        let whole = try WebMReader(source: MemorySource(Array(bytes[..<last]))).all().count
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<12 {
            let end = Int.random(in: last...bytes.count, using: &generator)
            let path = folder.file("killed.webm")
            try Data(bytes[..<end]).write(to: URL(fileURLWithPath: path))
            let result = try probe(path)
            let packets = result.streams.reduce(0) { $0 + (Int($1.nb_read_packets ?? "") ?? 0) }
            #expect(packets >= whole, "cut at \(end)")
            let decoded = try MediaTool.ffmpeg.run(["-v", "error", "-i", path, "-f", "null", "-"])
            #expect(decoded.status == 0, "cut at \(end): \(decoded.errors)")
        }
    }

    @Test func liveStreamWithoutOverwriting() throws {
        let path = folder.file("stream.webm")
        try Data(try TestMedia.webMBytes(seekable: false)).write(to: URL(fileURLWithPath: path))
        expectWhole(try probe(path))
        #expect(try complaints(path) == "")
    }

    @Test func frameSizeMayChange() throws {
        let path = folder.file("resize.webm")
        let writer = try WebMWriter(
            sink: FileSink(path: path),
            configuration: WebMConfiguration(video: .init(width: 160, height: 120), audio: nil))
        let frames =
            TestMedia.encodeVideo(count: 20, keyInterval: 20)
            + TestMedia.encodeVideo(
                count: 20, keyInterval: 20, width: 320, height: 240)
        for (index, frame) in frames.enumerated() {
            try writer.write(
                .video, timestamp: .milliseconds(Int64(index) * 33), isKeyframe: frame.isKeyframe, bytes: frame.bytes)
        }
        try writer.finish()
        #expect(try probe(path).streams[0].nb_read_frames == "40")
    }

    @Test func ourReaderReadsTheirs() throws {
        let path = folder.file("theirs.webm")
        let made = try MediaTool.ffmpeg.run([
            "-v", "error", "-f", "lavfi", "-i", "testsrc=size=176x144:rate=25:duration=2", "-f", "lavfi", "-i",
            "sine=frequency=440:duration=2", "-c:v", "libvpx", "-b:v", "200k", "-c:a", "libopus", "-ac", "2", "-y",
            path,
        ])
        #expect(made.status == 0, "\(made.errors)")
        let reader = try WebMReader(source: FileSource(path: path))
        let frames = try reader.all()
        #expect(reader.damage.isEmpty, "\(reader.damage.notes)")
        #expect(reader.tracks.map(\.codec) == [.vp8, .opus])
        #expect(frames.filter { $0.track == 1 }.count == 50)
        #expect(abs(((reader.info.duration ?? .zero) - .seconds(2)).milliseconds) < 50)
        let listed = try MediaTool.ffprobe.run([
            "-v", "error", "-select_streams", "a", "-show_entries", "packet=size", "-of", "csv=p=0", path,
        ])
        let sizes = listed.text.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        #expect(frames.filter { $0.track == 2 }.map(\.bytes.count) == sizes)
        // The last packet is cut to the length of the audio.
        #expect((frames.last { $0.track == 2 }?.discardPadding ?? .zero) > .zero)
    }

    @Test func ourReaderReadsMatroskaAndLiveStreams() throws {
        for arguments in [["-f", "matroska"], ["-f", "webm", "-live", "1"], ["-f", "webm", "-dash", "1"]] {
            let path = folder.file("other.webm")
            let made = try MediaTool.ffmpeg.run(
                ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x64:rate=25:duration=1", "-c:v", "libvpx"]
                    + arguments + ["-y", path])
            #expect(made.status == 0, "\(made.errors)")
            let reader = try WebMReader(source: FileSource(path: path))
            #expect(try reader.all().count == 25)
            #expect(reader.damage.isEmpty, "\(arguments): \(reader.damage.notes)")
        }
    }
}
