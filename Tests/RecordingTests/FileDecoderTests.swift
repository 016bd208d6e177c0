import Codecs
import Containers
import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

@Suite struct FileDecoderTests {
    private let folder = TemporaryFolder()

    private static var vectors: [String] {
        let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../../shared/vectors"
        let directory = ProcessInfo.processInfo.environment["MILLRACE_VECTORS"] ?? beside
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/vp8")) ?? []
        return names.filter { $0.hasSuffix(".ivf") }.sorted().map { "\(directory)/vp8/\($0)" }
    }

    @Test(
        .enabled(if: !vectors.isEmpty, "the VP8 test vectors are not there: set MILLRACE_VECTORS"), arguments: vectors)
    func vectorsHaveTheirFingerprints(path: String) throws {
        var lines: [String] = []
        let stem = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        let report = try FileDecoder(path: path).run(to: [FingerprintOutput(stem: stem) { lines.append($0) }])
        let expected = try String(contentsOfFile: path + ".md5", encoding: .utf8).split(separator: "\n").map(
            String.init)
        #expect(lines == expected)
        #expect(!report.isDamaged)
    }

    private static let rates: [(UInt32, UInt32)] = [(UInt32.max, 1), (1, UInt32.max), (30, 1), (1_000, 1), (1_001, 1)]

    @Test("An IVF header may claim any rate", arguments: rates)
    func ivfRates(rate: UInt32, scale: UInt32) throws {
        let path = folder.file("rate.ivf")
        var bytes = Array("DKIF".utf8) + [0, 0, 32, 0] + Array("VP80".utf8) + [64, 0, 48, 0]
        for number in [rate, scale, 1, 0] { withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) } }
        let frame = TestStream.video[0].bytes
        withUnsafeBytes(of: UInt32(frame.count).littleEndian) { bytes += Array($0) }
        withUnsafeBytes(of: (UInt64(1) << 62).littleEndian) { bytes += Array($0) }
        try Data(bytes + frame).write(to: URL(fileURLWithPath: path))
        let found = try EncodedFile(path: path).video?.rate
        #expect(found?.0 == (rate == 30 || rate == 1_000 ? Int(rate) : nil))
        let used = try FrameRate.ofFile(path)
        #expect(used.0 <= 1_000 * used.1)
    }

    @Test("A WebM track may claim any codec delay")
    func codecDelay() throws {
        let path = folder.file("delay.webm")
        let writer = try WebMWriter(
            sink: FileSink(path: path),
            configuration: WebMConfiguration(video: nil, audio: .init(channels: 2, preSkip: 65_535)))
        try writer.write(.audio, timestamp: .zero, isKeyframe: true, bytes: TestStream.audio[0])
        try writer.finish()
        // Without a valid CodecPrivate the delay counts. The writer refuses long delays, so the four bytes of this one are replaced by the
        // largest value.
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let head = Array("OpusHead".utf8)
        let codecDelay: [UInt8] = [0x56, 0xAA, 0x84]
        let codecPrivate = try #require(bytes.indices.first { bytes[$0...].starts(with: head) })
        let delay = try #require(bytes.indices.first { bytes[$0...].starts(with: codecDelay) }) + codecDelay.count
        bytes[codecPrivate] = UInt8(ascii: "X")
        bytes.replaceSubrange(delay..<delay + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        // 4.294967295 s at 48 kHz.
        #expect(try EncodedFile(path: path).audio?.preSkip == 206_158)
    }

    /// Writes a WebM file: `audioSkip` and `videoSkip` remove packets, `audioStart` moves all audio.
    private func webM(audioSkip: Range<Int> = 0..<0, videoSkip: Range<Int> = 0..<0, audioStart: MediaTime = .zero)
        throws -> String
    {
        let path = folder.file("made.webm")
        let writer = try WebMWriter(
            sink: FileSink(path: path),
            configuration: WebMConfiguration(
                video: .init(width: TestStream.width, height: TestStream.height), audio: .init(channels: 2)))
        for tick in 0..<400 {
            let now = MediaTime.milliseconds(Int64(tick) * 10)
            if tick % 2 == 0, !audioSkip.contains(tick / 2) {
                try writer.write(
                    .audio, timestamp: now + audioStart, isKeyframe: true, bytes: TestStream.audio[tick / 2])
            }
            if tick % 10 == 0 || tick % 10 == 3 || tick % 10 == 7 {
                let index = tick / 10 * 3 + (tick % 10) / 3
                guard !videoSkip.contains(index) else { continue }
                let frame = TestStream.video[index]
                try writer.write(
                    .video, timestamp: .nanoseconds(Int64(index) * 1_000_000_000 / 30), isKeyframe: frame.isKeyFrame,
                    bytes: frame.bytes)
            }
        }
        try writer.finish()
        return path
    }

    private func samples(of path: String) throws -> [Int16] {
        let sink = MemorySink()
        let decoder = try FileDecoder(path: path, video: false)
        _ = try decoder.run(to: [try WAVOutput(sink: sink, channels: 2)])
        return try WAVReader(source: MemorySource(sink.bytes)).read(frames: .max)
    }

    @Test func wholeFileIsWhole() throws {
        let report = try FileDecoder(path: try webM()).run(to: [])
        #expect(report.video?.frames == 120 && report.video?.keyFrames == 4)
        #expect(report.audio?.packets == 200 && report.audio?.samples == 200 * 960 - 312)
        #expect(!report.isDamaged && report.damage.isEmpty && report.errors.isEmpty)
        #expect(report.audioOffset == 0)
    }

    @Test func audioGapsAreFilledSoThatTheRestStaysInPlace() throws {
        let whole = try samples(of: try webM())
        let path = try webM(audioSkip: 50..<75)
        let holed = try samples(of: path)
        #expect(holed.count == whole.count)
        // The decoder has settled 100 ms after the gap.
        let from = (75 * 960 - 312 + 4800) * 2
        let difference = zip(whole[from...], holed[from...]).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(difference < 400)
        // The middle of the gap is silent.
        #expect(holed[(60 * 960) * 2..<(70 * 960) * 2].allSatisfy { $0 == 0 })
        let report = try FileDecoder(path: path).run(to: [])
        #expect(report.audio?.gapCount == 1 && !report.isDamaged)
        #expect(abs((report.audio?.gaps.first?.duration ?? 0) - 0.5) < 0.001)
        #expect(report.audio?.concealed == 2_880)
    }

    @Test func audioThatBeginsLateStaysLate() throws {
        let whole = try samples(of: try webM())
        let late = try samples(of: try webM(audioStart: .milliseconds(500)))
        #expect(late.count == whole.count + 24_000 * 2)
        #expect(late[..<48_000].allSatisfy { $0 == 0 })
        #expect(Array(late[48_000...]) == whole)
    }

    @Test func missingFramesAreAGapAndTheRestIsLeftOutUntilAKeyFrame() throws {
        let lost = try FileDecoder(path: try webM(videoSkip: 0..<1)).run(to: [])
        #expect(lost.video?.frames == 90 && lost.video?.skipped == 29 && lost.isDamaged)
        let gap = try FileDecoder(path: try webM(videoSkip: 40..<60)).run(to: [])
        #expect(gap.video?.frames == 100 && gap.video?.gapCount == 1 && !gap.isDamaged)
    }

    @Test func rawVideoIsWhatTheDecoderGives() throws {
        let path = try webM()
        let sink = MemorySink()
        _ = try FileDecoder(path: path, threads: 2, audio: false).run(
            to: [Y4MOutput(sink: sink, size: nil, rate: try FrameRate.ofFile(path), keepsTime: false)])
        let reader = try Y4MReader(source: MemorySource(sink.bytes))
        #expect(reader.header.rate == 30 && reader.header.scale == 1)
        let decoder = try VPXDecoder()
        for encoded in TestStream.video {
            let expected = try #require(try decoder.decode(encoded.bytes))
            #expect(try #require(try reader.next()).bytes == expected.bytes)
        }
        #expect(try reader.next() == nil)
    }

    @Test func constantRateKeepsTime() throws {
        let path = try webM(videoSkip: 40..<60)
        let sink = MemorySink()
        _ = try FileDecoder(path: path, audio: false).run(
            to: [Y4MOutput(sink: sink, size: nil, rate: (30, 1), keepsTime: true)])
        let reader = try Y4MReader(source: MemorySource(sink.bytes))
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 120)
    }

    @Test func changesOfSizeAreFitted() throws {
        let path = folder.file("sizes.webm")
        let writer = try WebMWriter(
            sink: FileSink(path: path),
            configuration: WebMConfiguration(video: .init(width: 160, height: 120), audio: nil))
        let frames =
            TestStream.encode(count: 3, width: 160, height: 120) + TestStream.encode(count: 3, width: 96, height: 96)
        for (index, frame) in frames.enumerated() {
            try writer.write(
                .video, timestamp: .milliseconds(Int64(index) * 33), isKeyframe: frame.isKeyFrame, bytes: frame.bytes)
        }
        try writer.finish()
        let sink = MemorySink()
        let output = Y4MOutput(sink: sink, size: nil, rate: (30, 1), keepsTime: false)
        let report = try FileDecoder(path: path).run(to: [output])
        #expect(report.video?.frames == 6 && report.video?.sizeChanges == 1 && output.fittedFrames == 3)
        let reader = try Y4MReader(source: MemorySource(sink.bytes))
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 6)
    }

    /// Writes two sizes, the small one first, as a browser's encoder does.
    private func growing(finish: Bool = true) throws -> (path: String, writer: WebMWriter) {
        let path = folder.file("growing.webm")
        let writer = try WebMWriter(
            sink: FileSink(path: path),
            configuration: WebMConfiguration(video: .init(width: 96, height: 96), audio: nil))
        let frames =
            TestStream.encode(count: 40, width: 96, height: 96) + TestStream.encode(count: 40, width: 160, height: 120)
        for (index, frame) in frames.enumerated() {
            try writer.write(
                .video, timestamp: .milliseconds(Int64(index) * 33), isKeyframe: frame.isKeyFrame, bytes: frame.bytes)
        }
        if finish { try writer.finish() } else { try writer.flush() }
        return (path, writer)
    }

    @Test("Raw video has the size of the largest frame whatever the header says, or the size that was asked for")
    func largestSize() throws {
        let (path, _) = try growing()
        #expect(try EncodedFile(path: path).video?.width == 96)
        let largest = try FrameSize.largest(ofFile: path)
        #expect(largest == FrameSize(width: 160, height: 120))
        for size in [largest, FrameSize(width: 80, height: 60)] {
            let sink = MemorySink()
            let report = try FileDecoder(path: path).run(
                to: [Y4MOutput(sink: sink, size: size, rate: (30, 1), keepsTime: false)])
            #expect(report.video?.width == 160 && report.video?.height == 120)
            let header = try Y4MReader(source: MemorySource(sink.bytes)).header
            #expect(header.width == size?.width && header.height == size?.height)
        }
    }

    @Test("CAN-3 a file's rotation is in its header, and raw video is upright", arguments: Rotation.allCases)
    func rotation(_ rotation: Rotation) throws {
        let path = folder.file("turned.webm")
        let writer = try WebMWriter(
            sink: FileSink(path: path),
            configuration: WebMConfiguration(video: .init(width: 64, height: 48), audio: nil))
        let frames = TestStream.encode(count: 3, width: 64, height: 48)
        writer.noteRotation(rotation)
        for (index, frame) in frames.enumerated() {
            try writer.write(
                .video, timestamp: .milliseconds(Int64(index) * 33), isKeyframe: frame.isKeyFrame, bytes: frame.bytes)
        }
        try writer.finish()
        #expect(try EncodedFile(path: path).video?.rotation == rotation)
        let (width, height) = rotation.isSideways ? (48, 64) : (64, 48)
        #expect(try FrameSize.largest(ofFile: path) == FrameSize(width: width, height: height))
        var expected = try #require(try VPXDecoder().decode(frames[0].bytes))
        expected.rotation = rotation
        for keepsTime in [false, true] {
            let sink = MemorySink()
            let report = try FileDecoder(path: path).run(
                to: [Y4MOutput(sink: sink, size: nil, rate: (30, 1), keepsTime: keepsTime)])
            #expect(report.video?.rotation == rotation.rawValue && !report.isDamaged)
            let reader = try Y4MReader(source: MemorySource(sink.bytes))
            #expect(reader.header.width == width && reader.header.height == height)
            #expect(try reader.next()?.bytes == expected.upright().bytes)
        }
    }

    @Test("A file that is being written is not a damaged file, at any length that it may have at that moment")
    func fileBeingWritten() throws {
        let (path, writer) = try growing(finish: false)
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        // At the writer's position, and cut inside the last blocks as if only a part of a write had arrived.
        for cut in [0, 1, 7, 500] {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.truncate(atOffset: UInt64(whole.count - cut))
            try handle.close()
            let report = try FileDecoder(path: path).run(to: [])
            #expect(report.isBeingWritten && !report.isDamaged && report.isCutOff == (cut > 0), "cut by \(cut)")
            #expect(report.video?.errors == 0)
        }
        // It grows while it is read: the length at the start counts.
        let grows = folder.file("grows.webm")
        try Data(whole).write(to: URL(fileURLWithPath: grows))
        let growing = try FileHandle(forWritingTo: URL(fileURLWithPath: grows))
        try growing.truncate(atOffset: UInt64(whole.count / 2))
        let decoder = try FileDecoder(path: grows)
        try growing.seekToEnd()
        try growing.write(contentsOf: whole[(whole.count / 2)...])
        try growing.close()
        let half = try decoder.run(to: [])
        #expect(half.damageCount <= 1 && half.isCutOff == (half.damageCount == 1) && half.lostBytes < 20_000)
        #expect((half.video?.frames ?? 0) < 80 && half.video?.errors == 0)
        // Without the writer the same file is damaged.
        let copy = folder.file("copy.webm")
        try Data(whole.dropLast(7)).write(to: URL(fileURLWithPath: copy))
        let cut = try FileDecoder(path: copy).run(to: [])
        #expect(!cut.isBeingWritten && cut.isDamaged)
        withExtendedLifetime(writer) {}
    }

    @Test("Damage in the middle of a file that is being written is damage")
    func damageBeingWritten() throws {
        let (path, writer) = try growing(finish: false)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: size / 3)
        // Several blocks with their headers.
        try handle.write(contentsOf: Data(repeating: 0, count: Int(size / 4)))
        try handle.truncate(atOffset: size - 7)
        try handle.close()
        let report = try FileDecoder(path: path).run(to: [])
        #expect(report.isBeingWritten && report.isDamaged)
        try writer.finish()
        #expect(try FileDecoder(path: path).run(to: []).isBeingWritten == false)
    }

    @Test func stillsAreEveryNth() throws {
        let output = StillsOutput(directory: folder.path, stem: "still", every: 50)
        _ = try FileDecoder(path: try webM(), audio: false).run(to: [output])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("still") }
            .sorted()
        #expect(names == ["still-000001.png", "still-000051.png", "still-000101.png"])
    }

    @Test func damagedFramesAreToldAndTheRestIsDecoded() throws {
        let path = try webM()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let reader = try WebMReader(source: MemorySource(Array(bytes)))
        var positions: [Int] = []
        while let frame = try reader.next() { if frame.track == 1 { positions.append(Int(frame.position)) } }
        // The start code of the second key frame.
        bytes[positions[30] + 3] = 0
        let damaged = folder.file("damaged.webm")
        try bytes.write(to: URL(fileURLWithPath: damaged))
        let report = try FileDecoder(path: damaged).run(to: [])
        #expect(report.video?.errors == 1 && report.video?.skipped == 29 && report.video?.frames == 90)
        #expect(report.isDamaged && report.errors.first?.contains("start code") == true)
    }

    @Test func mutatedFilesNeverTrap() throws {
        let original = try Data(contentsOf: URL(fileURLWithPath: try webM())).prefix(60_000)
        var generator = SeededGenerator(seed: 11)
        for round in 0..<60 {
            var bytes = Array(original)
            for _ in 0..<20 { bytes[Int.random(in: 300..<bytes.count, using: &generator)] ^= 1 << UInt8(round % 8) }
            let path = folder.file("mutated.webm")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            // Damage that leaves nothing to decode throws an error, which is accepted.
            _ = try? FileDecoder(path: path).run(to: [])
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func whatCannotBeDecodedSaysWhy() throws {
        let path = folder.file("no.webm")
        try Data("not media".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: DecodeError.self) { try FileDecoder(path: path) }
        #expect(throws: DecodeError.self) { try FileDecoder(path: folder.path + "/absent") }
        #expect(throws: DecodeError.self) { try FileDecoder(path: folder.path) }
    }

    @Test(
        .enabled(if: MediaTool.ffmpeg.isInstalled, "ffmpeg is not installed"),
        arguments: [["-f", "webm", "x.webm"], ["-f", "ogg", "x.opus"]])
    func audioOfOthersEqualsTheirs(output: [String]) throws {
        let path = folder.file(output[2])
        let made = try MediaTool.ffmpeg.run(
            [
                "-v", "error", "-f", "lavfi", "-i", "sine=frequency=1000:duration=1.234:sample_rate=48000", "-c:a",
                "libopus", "-ac", "2",
            ]
                + output.dropLast() + [path])
        #expect(made.status == 0, "\(made.errors)")
        let theirs = try MediaTool.ffmpeg.run(["-v", "error", "-c:a", "libopus", "-i", path, "-f", "s16le", "-"])
        let expected = theirs.bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        let ours = try samples(of: path)
        #expect(ours.count == expected.count)
        #expect(zip(ours, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test(arguments: [
        ([0, 33, 67, 100, 133, 167], (30, 1)), ([0, 40, 80, 120], (25, 1)), ([0, 17, 33, 50, 67, 83, 100], (60, 1)),
        ([0, 40, 80, 3120, 3160, 3200], (25, 1)), ([5], (30, 1)), ([], (30, 1)),
    ])
    func paceIsTold(milliseconds: [Int64], rate: (Int, Int)) {
        let told = FrameRate.estimate(milliseconds.map { .milliseconds($0) })
        #expect(told.0 == rate.0 && told.1 == rate.1)
    }
}
