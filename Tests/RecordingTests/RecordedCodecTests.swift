import Codecs
import Containers
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@testable import Recording

/// Streams of other codecs than VP8, which other programs encoded.
@Suite struct RecordedCodecTests {
    private let folder = TemporaryFolder()

    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        var codec: VideoCodec
        var frames: Int
        var keyFrames: Int
        var size: FrameSize
        var testDescription: String { name }
    }

    private static let samples = [
        Sample(
            name: "chromium-156-h264", codec: .h264, frames: 4, keyFrames: 2, size: FrameSize(width: 64, height: 48)),
        Sample(
            name: "ffmpeg-5.1-h264", codec: .h264, frames: 5, keyFrames: 2, size: FrameSize(width: 66, height: 50)),
        Sample(
            name: "gstreamer-1.22-h264", codec: .h264, frames: 5, keyFrames: 2,
            size: FrameSize(width: 66, height: 50)),
        Sample(
            name: "chromium-156-vp9", codec: .vp9, frames: 4, keyFrames: 3, size: FrameSize(width: 64, height: 48)),
        Sample(name: "ffmpeg-5.1-vp9", codec: .vp9, frames: 5, keyFrames: 2, size: FrameSize(width: 66, height: 50)),
        Sample(
            name: "chromium-156-av1", codec: .av1, frames: 4, keyFrames: 2, size: FrameSize(width: 64, height: 48)),
    ]

    /// Returns the packets of a capture as a tap delivers them, 200 ms apart for each frame.
    private static func packets(_ sample: Sample) throws -> [(packet: TestStream.Packet, codec: VideoCodec)] {
        let captured = try CapturedPacket.all(of: sample.name)
        var frame = 0
        return captured.indices.map { index in
            if index > 0, captured[index].timestamp != captured[index - 1].timestamp { frame += 1 }
            return (
                TestStream.Packet(
                    kind: .video, sequence: captured[index].sequence, timestamp: 90_000 + Int64(frame) * 18_000,
                    marker: captured[index].marker, arrival: .seconds(100) + .milliseconds(Int64(frame) * 200),
                    captureNTP: nil, payload: captured[index].payload, frame: frame),
                sample.codec
            )
        }
    }

    private static func push(_ packets: [(packet: TestStream.Packet, codec: VideoCodec)], into tap: PacketTap) {
        for (packet, codec) in packets {
            packet.payload.withUnsafeBytes { payload in
                _ = tap.push(
                    TapPacket(
                        kind: packet.kind, sequence: packet.sequence, timestamp: packet.timestamp,
                        marker: packet.marker, arrival: packet.arrival, captureNTP: nil, codec: codec,
                        payload: payload))
            }
        }
        tap.flush()
    }

    private func record(_ sample: Sample) async throws -> RecordingStatus {
        let tap = PacketTap(capacity: 1 << 20, codec: sample.codec)
        Self.push(try Self.packets(sample), into: tap)
        tap.close()
        let recorder = try StreamRecorder(
            tap: tap, session: "lobby", stream: "cam", kinds: [.video], directory: folder.path,
            index: try RecordingIndex(session: "lobby", directory: folder.path), requestKeyFrame: {})
        return await recorder.ended()
    }

    @Test("Every codec is recorded, and the index has the codec", arguments: samples)
    func recorded(sample: Sample) async throws {
        let status = try await record(sample)
        #expect(status.phase == .ended && status.error == nil)
        #expect(Int(status.statistics.videoFrames) == sample.frames && status.statistics.damagedFrames == 0)
        let path = try #require(status.files.first)
        #expect(path.hasSuffix(sample.codec == .h264 ? ".mkv" : ".webm") && status.files.count == 1)
        let entries = try RecordingIndex(session: "lobby", directory: folder.path).entries
        #expect(entries.map(\.codec) == [sample.codec] && entries[0].tracks == ["video"])

        let reader = try WebMReader(source: FileSource(path: path))
        let track = try #require(reader.tracks.first)
        #expect(track.codec == .video(sample.codec))
        #expect(track.width == sample.size.width && track.height == sample.size.height)
        #expect(track.codecPrivate.isEmpty == (sample.codec == .vp9))
        var keyFrames = 0
        while let frame = try reader.next() { keyFrames += frame.isKeyframe ? 1 : 0 }
        #expect(keyFrames == sample.keyFrames && reader.damage.isEmpty)

        let report = try FileDecoder(path: path).run(to: [])
        #expect(!report.isDamaged && report.video?.frames == sample.frames)
        #expect(report.video?.keyFrames == sample.keyFrames && report.video?.codec == sample.codec.rawValue)
        #expect(report.video?.width == sample.size.width && report.video?.height == sample.size.height)
    }

    @Test(
        "FFmpeg decodes every frame of the recordings",
        .enabled(if: MediaTool.ffprobe.isInstalled && MediaTool.ffmpeg.isInstalled), arguments: samples)
    func players(sample: Sample) async throws {
        let path = try #require(try await record(sample).files.first)
        let probe = try MediaTool.ffprobe.run([
            "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,width,height,nb_read_frames", "-of",
            "csv=p=0", path,
        ])
        let name = ["H264": "h264", "VP9": "vp9", "AV1": "av1"][sample.codec.rawValue] ?? ""
        #expect(
            probe.text.hasPrefix("\(name),\(sample.size.width),\(sample.size.height),\(sample.frames)"),
            "\(probe.text)\(probe.errors)")
        let played = try MediaTool.ffmpeg.run(["-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
        #expect(played.status == 0 && played.errors == "", "\(played.errors)")
    }

    /// FFmpeg leaves the parameter sets of H.264 to the header of the file.
    private static let files = [
        ("encoded.mkv", ["libx264", "-bf", "0", "-profile:v", "high"], VideoCodec.h264),
        ("encoded.webm", ["libaom-av1", "-cpu-used", "8", "-usage", "realtime"], VideoCodec.av1),
        ("encoded.ivf", ["libaom-av1", "-cpu-used", "8", "-usage", "realtime"], VideoCodec.av1),
    ]

    @Test(
        "Files of FFmpeg give the frames that FFmpeg decodes",
        .enabled(if: MediaTool.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: files)
    func otherFiles(name: String, encoder: [String], codec: VideoCodec) throws {
        let path = folder.file(name)
        let made = try MediaTool.ffmpeg.run(
            ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=66x50:rate=10", "-frames:v", "6", "-g", "4"]
                + ["-pix_fmt", "yuv420p", "-c:v"] + encoder + [path])
        #expect(made.status == 0, "\(made.errors)")
        var digests: [Substring] = []
        let report = try FileDecoder(path: path).run(to: [
            FingerprintOutput(stem: "frame") { digests.append($0.prefix { $0 != " " }) }
        ])
        #expect(!report.isDamaged && report.video?.frames == 6 && report.video?.codec == codec.rawValue)
        #expect(try FrameSize.largest(ofFile: path) == FrameSize(width: 66, height: 50))
        let theirs = try MediaTool.ffmpeg.run(["-v", "error", "-i", path, "-f", "framemd5", "-"])
        let expected = theirs.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.suffix(32) }
        #expect(digests == expected)
    }

    @Test("A stream that changes its codec continues in another file", arguments: [1, 3])
    func change(other: Int) throws {
        let (first, second) = (Self.samples[0], Self.samples[other + 2])
        var recording = StreamRecording(kinds: [.video], codec: first.codec)
        var outputs: [StreamRecording.Output] = []
        for (packet, codec) in try Self.packets(first) {
            recording.insert(packet, codec)
            outputs += recording.outputs()
        }
        for (original, codec) in try Self.packets(second) {
            var packet = original
            packet.sequence += 1_000
            packet.timestamp += 900_000
            packet.arrival += .seconds(10)
            recording.insert(packet, codec)
            outputs += recording.outputs()
        }
        recording.finish()
        outputs += recording.outputs()
        #expect(outputs.starts.map(\.codec) == [first.codec, second.codec] && outputs.closes == 2)
        #expect(outputs.frames(.video).count == first.frames + second.frames)
        #expect(outputs.starts.map { $0.codecPrivate.isEmpty } == [false, second.codec == .vp9])
        #expect(outputs.starts.map(\.width) == [first.size.width, second.size.width])
    }

    @Test("H.264 video without parameter sets begins no file, and neither does its end")
    func missingParameters() throws {
        // An access unit with a key frame slice, but without SPS and PPS, and a slice that is not the first of its frame.
        for payload: [UInt8] in [[0x65, 0x88, 1, 2, 3], [0x65, 0x48, 1, 2, 3]] {
            var recording = StreamRecording(kinds: [.video], codec: .h264)
            let packet = TestStream.Packet(
                kind: .video, sequence: 1, timestamp: 1, marker: true, arrival: .seconds(1), payload: payload, frame: 0)
            recording.insert(packet, .h264)
            recording.finish()
            #expect(recording.outputs().isEmpty && recording.needsKeyFrame)
        }
    }

    @Test(
        "B frames of H.264 have the times at which they are shown, in the order of decoding",
        arguments: [[.video], [.audio, .video]] as [Set<MediaKind>])
    func reordered(kinds: Set<MediaKind>) throws {
        // With audio that never arrives, frames are held until the end.
        var recording = StreamRecording(kinds: kinds, codec: .h264)
        var outputs: [StreamRecording.Output] = []
        for packet in TestStream.reordered {
            recording.insert(packet, codec: .h264)
            outputs += recording.outputs()
        }
        recording.finish()
        outputs += recording.outputs()
        let frames = outputs.frames(.video)
        #expect(frames.map { $0.bytes.suffix(2).first } == [0x84] + (1...9).map { UInt8($0) })
        for (frame, position) in zip(frames, TestStream.displayOrder) {
            #expect(abs(frame.time.rawValue - position * 1_000_000_000 / 30) < 1_000, "\(position): \(frame.time)")
        }
        #expect(frames.allSatisfy { $0.duration > .zero } && recording.statistics.unorderedFrames == 0)
    }

    @Test("H.264 whose clock jumps back by more than a second is not taken for B frames", arguments: [5, 25])
    func jumps(first: Int) throws {
        // The file begins after 0.5 s, so the first jump is before its start and the second one in it.
        var recording = StreamRecording(kinds: [.video], codec: .h264)
        var times: [MediaTime] = []
        for index in 0..<40 {
            var packet = TestStream.reordered[min(index, 9)]
            packet.sequence = Int64(index)
            packet.timestamp = Int64(index) * 3_000 - (index >= first ? 900_000 : 0)
            packet.arrival = .seconds(100) + .milliseconds(Int64(index) * 33)
            recording.insert(packet, codec: .h264)
            times += recording.outputs().frames(.video).map(\.time)
        }
        recording.finish()
        times += recording.outputs().frames(.video).map(\.time)
        #expect(times.count == 40 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
    }

    @Test("Encrypted frames of other codecs than VP8 are not recorded", arguments: samples)
    func encrypted(sample: Sample) throws {
        var recording = StreamRecording(kinds: [.video], codec: sample.codec, isEncrypted: true)
        for (packet, codec) in try Self.packets(sample) {
            recording.insert(packet, codec)
        }
        recording.finish()
        #expect(recording.outputs().isEmpty && Int(recording.statistics.damagedFrames) == sample.frames)
    }
}

extension StreamRecording {
    fileprivate mutating func insert(_ packet: TestStream.Packet, _ codec: VideoCodec) {
        packet.payload.withUnsafeBytes { payload in
            insert(
                packet.kind, sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
                arrival: packet.arrival, captureNTP: packet.captureNTP, codec: codec, payload: payload)
        }
    }
}
