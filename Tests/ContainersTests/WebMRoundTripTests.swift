import MediaBase
import Testing

@testable import Containers

@Suite struct WebMRoundTripTests {
    @Test(arguments: [true, false])
    func everyFrameComesBackAsItWent(seekable: Bool) throws {
        let reader = try WebMReader(source: MemorySource(try TestMedia.webMBytes(seekable: seekable)))
        let frames = try reader.all()
        #expect(reader.damage.isEmpty)
        #expect(frames.filter { $0.track == 1 }.map(\.bytes) == TestMedia.video.map(\.bytes))
        #expect(frames.filter { $0.track == 1 }.map(\.isKeyframe) == TestMedia.video.map(\.isKeyframe))
        #expect(frames.filter { $0.track == 2 }.map(\.bytes) == TestMedia.audio)
        for (frame, block) in zip(frames, TestMedia.interleaved) {
            #expect(abs(frame.timestamp.rawValue - block.time.rawValue) <= 500_000)
        }
    }

    @Test("Any time and duration can be written") func latestTime() throws {
        let sink = MemorySink()
        let writer = try WebMWriter(
            sink: sink, configuration: WebMConfiguration(video: .init(width: 16, height: 16), audio: nil))
        try writer.write(.video, timestamp: .zero, isKeyframe: true, bytes: [1])
        try writer.write(.video, timestamp: .never, duration: .never, isKeyframe: true, bytes: [2])
        try writer.finish()
        let frames = try WebMReader(source: MemorySource(sink.bytes)).all()
        #expect(frames.map(\.bytes) == [[1], [2]])
        #expect(frames.last?.timestamp ?? .zero > .seconds(4e9))
    }

    @Test(
        "The header has the largest frame size: first the expected one, then larger ones at ends of clusters, at the end the real one"
    )
    func largestSizeInHeader() throws {
        let sink = MemorySink()
        func header() throws -> [Int] {
            let track = try WebMReader(source: MemorySource(sink.bytes)).tracks[0]
            return [track.width, track.height]
        }
        let writer = try WebMWriter(
            sink: sink, configuration: WebMConfiguration(video: .init(width: 64, height: 48), audio: .init(channels: 2))
        )
        #expect(try header() == [64, 48])
        let sizes = [(16, 16), (320, 180), (180, 320), (16_383, 16_383), (0, 5), (16_384, 1)]
        for (second, size) in sizes.enumerated() {
            writer.noteSize(width: size.0, height: size.1)
            try writer.write(.video, timestamp: .seconds(Double(second)), isKeyframe: true, bytes: [1])
            if second == 0 { #expect(try header() == [64, 48]) }
            // The previous cluster ends here.
            if second == 1 { #expect(try header() == [320, 180]) }
        }
        try writer.finish()
        #expect(try header() == [16_383, 16_383])

        // The audio track, which received no packets, is removed.
        #expect(try WebMReader(source: MemorySource(sink.bytes)).tracks.map(\.kind) == [.video])

        // An announced size that never appeared is corrected.
        let other = MemorySink()
        let second = try WebMWriter(
            sink: other, configuration: WebMConfiguration(video: .init(width: 1280, height: 720), audio: nil))
        second.noteSize(width: 320, height: 180)
        try second.write(.video, timestamp: .zero, isKeyframe: true, bytes: [1])
        try second.finish()
        #expect(try WebMReader(source: MemorySource(other.bytes)).tracks[0].width == 320)
    }

    @Test("A video track of which nothing came is taken out of the header, and audio keeps its number")
    func emptyTrack() throws {
        let sink = MemorySink()
        let writer = try WebMWriter(sink: sink, configuration: TestMedia.webMConfiguration)
        for (index, packet) in TestMedia.audio.enumerated() {
            try writer.write(.audio, timestamp: .milliseconds(Int64(index) * 20), isKeyframe: true, bytes: packet)
        }
        #expect(try WebMReader(source: MemorySource(sink.bytes)).tracks.count == 2)
        try writer.finish()
        let reader = try WebMReader(source: MemorySource(sink.bytes))
        #expect(reader.tracks.map(\.kind) == [.audio] && reader.tracks[0].number == 2)
        #expect(try reader.all().map(\.bytes) == TestMedia.audio)
        #expect(reader.damage.isEmpty)
    }

    @Test func headerSaysWhatIsInside() throws {
        let reader = try WebMReader(source: MemorySource(try TestMedia.webMBytes()))
        #expect(reader.info.muxingApp == "Millrace")
        #expect(reader.info.date == 1_700_000_000_000_000_000)
        #expect(reader.info.duration == .milliseconds(3000))
        #expect(reader.tracks.map(\.codec) == [.vp8, .opus])
        #expect(reader.tracks[0].width == TestMedia.width && reader.tracks[0].height == TestMedia.height)
        #expect(reader.tracks[1].channels == 2 && reader.tracks[1].sampleRate == 48_000)
        #expect(reader.tracks[1].codecDelay == .microseconds(6500))
        #expect(reader.tracks[1].seekPreRoll == .milliseconds(80))
        let head = try OpusHead(parsing: reader.tracks[1].codecPrivate, in: .webm)
        #expect(head == OpusHead(channels: 2, preSkip: 312))
        _ = try reader.all()
        let structure = reader.structure
        #expect(structure.segmentSizeIsKnown && structure.hasCues && structure.hasSeekHead)
        // At most a second each, and one begins at each key frame.
        #expect(structure.clusters >= 3 && structure.clusters <= 6)
        #expect(structure.blocks == TestMedia.interleaved.count)
    }

    @Test func unfinishedFileHasAllThatWasFlushed() throws {
        let reader = try WebMReader(source: MemorySource(try TestMedia.webMBytes(finished: false)))
        #expect(try reader.all().count == TestMedia.interleaved.count)
        #expect(!reader.structure.segmentSizeIsKnown && !reader.structure.hasCues)
        #expect(reader.damage.isEmpty)
        // Updated at the end of each cluster.
        #expect((reader.info.duration ?? .zero) >= .seconds(1.9))
    }

    @Test func liveStreamHasNoHoles() throws {
        // The bytes that a live reader receives from the start: no earlier byte was overwritten.
        var pieces: [[UInt8]] = []
        var configuration = TestMedia.webMConfiguration
        configuration.flushInterval = .zero
        let sink = StreamSink { bytes throws(ContainerError) in pieces.append(bytes) }
        let writer = try WebMWriter(sink: sink, configuration: configuration)
        for block in TestMedia.interleaved { try TestMedia.write(block, to: writer) }
        // The header, then each block as it was written.
        #expect(pieces.count >= TestMedia.interleaved.count)
        try writer.finish()
        let reader = try WebMReader(source: MemorySource(pieces.flatMap { $0 }))
        #expect(try reader.all().count == TestMedia.interleaved.count)
        #expect(reader.damage.isEmpty)
    }

    @Test func audioOnlyHasCuesAndItsOwnTrackNumber() throws {
        let sink = MemorySink()
        let writer = try WebMWriter(sink: sink, configuration: WebMConfiguration(video: nil, audio: .init(channels: 1)))
        for (index, packet) in TestMedia.audio.enumerated() {
            try writer.write(.audio, timestamp: .milliseconds(Int64(index) * 20), isKeyframe: true, bytes: packet)
        }
        try writer.finish()
        let reader = try WebMReader(source: MemorySource(sink.bytes))
        #expect(try reader.all().count == TestMedia.audio.count)
        #expect(reader.structure.hasCues)
    }

    @Test func hoursAndSilencesStayExact() throws {
        let sink = MemorySink()
        let writer = try WebMWriter(
            sink: sink, configuration: WebMConfiguration(video: .init(width: 16, height: 16), audio: nil))
        let times: [Int64] = [0, 999, 1000, 32_767, 32_768, 65_535, 65_536, 3_600_000, 86_400_000, 86_400_001]
        for time in times { try writer.write(.video, timestamp: .milliseconds(time), isKeyframe: false, bytes: [1]) }
        try writer.finish()
        let reader = try WebMReader(source: MemorySource(sink.bytes))
        #expect(try reader.all().map { $0.timestamp.rawValue / 1_000_000 } == times)
    }

    @Test func blockBeforeItsClusterIsLegal() throws {
        let sink = MemorySink()
        let writer = try WebMWriter(sink: sink, configuration: TestMedia.webMConfiguration)
        try writer.write(.video, timestamp: .milliseconds(500), isKeyframe: true, bytes: [1])
        try writer.write(.audio, timestamp: .milliseconds(480), isKeyframe: true, bytes: [0])
        try writer.write(.audio, timestamp: .milliseconds(0), isKeyframe: true, bytes: [0])
        try writer.finish()
        let reader = try WebMReader(source: MemorySource(sink.bytes))
        #expect(try reader.all().map { $0.timestamp.rawValue / 1_000_000 } == [500, 480, 0])
    }

    @Test func misuseIsAnErrorNotATrap() throws {
        #expect(throws: ContainerError.self) {
            try WebMWriter(sink: MemorySink(), configuration: WebMConfiguration(video: nil, audio: nil))
        }
        #expect(throws: ContainerError.self) {
            try WebMWriter(
                sink: MemorySink(), configuration: WebMConfiguration(video: .init(width: 0, height: 1), audio: nil))
        }
        let writer = try WebMWriter(
            sink: MemorySink(), configuration: WebMConfiguration(video: .init(width: 2, height: 2), audio: nil))
        #expect(throws: ContainerError.self) {
            try writer.write(.audio, timestamp: .zero, isKeyframe: true, bytes: [1])
        }
        #expect(throws: ContainerError.self) {
            try writer.write(.video, timestamp: .milliseconds(-1), isKeyframe: true, bytes: [1])
        }
        #expect(throws: ContainerError.self) {
            try writer.write(.video, timestamp: .zero, isKeyframe: true, bytes: [])
        }
        try writer.finish()
        #expect(throws: ContainerError.self) {
            try writer.write(.video, timestamp: .zero, isKeyframe: true, bytes: [1])
        }
        try writer.finish()
    }

    @Test func fullDiskIsTyped() throws {
        let sink = try FileSink(path: "/dev/full")
        let error = #expect(throws: ContainerError.self) {
            try WebMWriter(sink: sink, configuration: TestMedia.webMConfiguration)
        }
        #expect(error?.isOutOfSpace == true)
    }

    @Test(arguments: [2_000, 20_000, 33_333])
    func fullDiskLeavesAWholeFile(room: Int) throws {
        let sink = FullSink(room: room)
        let writer = try WebMWriter(sink: sink, configuration: TestMedia.webMConfiguration)
        var failure: ContainerError?
        var failures = 0
        for block in TestMedia.interleaved {
            do { try TestMedia.write(block, to: writer) } catch {
                failure = failure ?? error as? ContainerError
                failures += 1
            }
        }
        #expect(failure?.isOutOfSpace == true && failures > 1)
        try writer.finish()
        #expect(sink.isClosed && Int64(sink.bytes.count) == writer.byteCount)
        let reader = try WebMReader(source: MemorySource(sink.bytes))
        _ = try reader.all()
        #expect(reader.damage.isEmpty && reader.structure.segmentSizeIsKnown && !reader.structure.hasCues)
    }
}
