import Containers
import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@testable import Recording

/// The bytes of a live stream: in virtual time, and through a real tap and its thread.
@Suite("LIV-1 bytes of a live stream") struct LiveStreamTests {
    private static let ntp: UInt64 = 0xe000_0000_1234_5678
    private static let unknownSize: [UInt8] = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
    private static let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67]
    private static let cluster: [UInt8] = [0x1f, 0x43, 0xb6, 0x75]

    private func read(_ bytes: [UInt8]) throws -> (reader: WebMReader, frames: [WebMFrame]) {
        let reader = try WebMReader(source: MemorySource(bytes))
        var frames: [WebMFrame] = []
        while let frame = try reader.next() { frames.append(frame) }
        #expect(reader.damage.isEmpty)
        return (reader, frames)
    }

    /// Writes packets as a reader that is always in time gets them.
    private func write(_ packets: [TestStream.Packet], kinds: Set<MediaKind> = [.audio, .video]) throws -> [UInt8] {
        var recording = StreamRecording(kinds: kinds)
        var backlog = LiveBacklog()
        let writer = LiveWriter()
        var bytes: [UInt8] = []
        for output in recording.run(packets) {
            switch output {
            case .open(let start): backlog.begin(start)
            case .frame(let frame): backlog.append(frame, now: frame.time)
            case .clock, .close: break
            }
            while let element = backlog.next() { try writer.write(element) }
            bytes += writer.take() ?? []
        }
        return bytes
    }

    @Test("The file begins with a key frame; segment and clusters have no size, and no cluster is longer than 100 ms")
    func layout() throws {
        let bytes = try write(TestStream(wallClock: Self.ntp).packets())
        #expect(bytes.firstRange(of: Self.segment + Self.unknownSize) != nil)
        let (reader, frames) = try read(bytes)
        #expect(reader.structure.documentType == "webm")
        #expect(reader.tracks.map(\.kind) == [.video, .audio])
        #expect(reader.tracks[0].width == TestStream.width && reader.tracks[0].height == TestStream.height)
        let first = try #require(frames.first { $0.track == 1 })
        #expect(first.isKeyframe && first.timestamp == .zero && frames[0].timestamp == .zero)
        #expect(frames.filter { $0.track == 1 }.map(\.bytes) == TestStream.video.map(\.bytes))
        #expect(frames.filter { $0.track == 2 }.map(\.bytes) == TestStream.audio)
        let clusters = bytes.ranges(of: Self.cluster + Self.unknownSize).map(\.lowerBound) + [bytes.count]
        #expect(clusters.count > 30)
        for (start, end) in zip(clusters, clusters.dropFirst()) {
            let times = frames.filter { $0.position > start && $0.position < end }.map(\.timestamp)
            let length = (times.max() ?? .zero) - (times.min() ?? .zero)
            #expect(!times.isEmpty && length <= .milliseconds(140), "cluster at \(start) of \(length)")
        }
    }

    @Test("A stream of audio or of video alone is a file with one track", arguments: MediaKind.allCases)
    func oneTrack(kind: MediaKind) throws {
        let packets =
            kind == .audio ? TestStream().packets(video: []) : TestStream().packets(audio: [])
        let (reader, frames) = try read(try write(packets, kinds: [kind]))
        #expect(reader.tracks.map(\.kind) == [kind])
        #expect(frames.count == (kind == .audio ? 200 : 120))
    }

    @Test("Frames that the reader missed leave no gap in time, and audio and video stay aligned")
    func skipped() throws {
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(TestStream(wallClock: Self.ntp).packets())
        let start = try #require(outputs.starts.first)
        let writer = LiveWriter()
        try writer.write(.start(start))
        // The reader gets the first second, and continues with the key frame at 3 s.
        let all = outputs.frames(.video) + outputs.frames(.audio)
        for frame in all.sorted(by: { $0.time < $1.time }) where frame.time < .seconds(0.99) {
            try writer.write(.frame(frame, isResumed: false))
        }
        let later = outputs.frames(.video).filter { $0.time >= .seconds(2.99) }
        #expect(later[0].isKeyFrame)
        try writer.write(.frame(later[0], isResumed: true))
        // Audio from before the key frame is dropped.
        for frame in outputs.frames(.audio) where frame.time >= .seconds(2.9) {
            try writer.write(.frame(frame, isResumed: false))
        }
        for frame in later.dropFirst() { try writer.write(.frame(frame, isResumed: false)) }
        let frames = try read(writer.take() ?? []).frames
        for (track, count) in [(1, 60), (2, 99)] {
            let times = frames.filter { $0.track == track }.map(\.timestamp)
            #expect(times.count >= count && times.count <= count + 1)
            let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
            #expect(gaps.allSatisfy { $0 > .zero && $0 <= .milliseconds(60) }, "track \(track): \(gaps.max() ?? .zero)")
        }
        let ends = [1, 2].compactMap { track in frames.last { $0.track == track }?.timestamp }
        #expect(ends.count == 2 && abs((ends[0] - ends[1]).rawValue) <= 40_000_000)
    }

    @Test("A mute in the middle is a gap in time")
    func mute() throws {
        let packets = TestStream(wallClock: Self.ntp).packets().filter {
            $0.kind == .video || $0.arrival < .seconds(101) || $0.arrival >= .seconds(103)
        }
        let times = try read(try write(packets)).frames.filter { $0.track == 2 }.map(\.timestamp)
        #expect(times.count == 100)
        #expect(zip(times.dropFirst(), times).contains { $0 - $1 > .seconds(1.9) })
    }

    @Test("The end of the stream ends the body after all frames")
    func streamEnd() async throws {
        let tap = PacketTap(capacity: 8 << 20)
        tap.push(TestStream(wallClock: Self.ntp).packets().arrivingNow())
        tap.close()
        let live = try LiveStream(tap: tap, kinds: [.audio, .video])
        var bytes: [UInt8] = []
        for try await piece in live { bytes += piece }
        let frames = try read(bytes).frames
        #expect(frames.count { $0.track == 1 } == 120 && frames.count { $0.track == 2 } == 200)
    }

    @Test("Cached video that is too old is left out, and a key frame is requested")
    func oldKeyFrame() async throws {
        let tap = PacketTap(capacity: 8 << 20)
        let (requests, request) = AsyncStream.makeStream(of: Void.self)
        // Two seconds of video: the first 35 frames are older than half a second, and the others need a key frame.
        let packets = TestStream().packets(video: Array(TestStream.video[..<59]), audio: [])
            .arriving(from: .monotonicNow - .seconds(2))
        tap.push(packets)
        let live = try LiveStream(tap: tap, kinds: [.video], requestKeyFrame: { request.yield() })
        for await _ in requests { break }
        var late = TestStream()
        late.videoTicks += 60 * 3_000
        let fresh = late.packets(video: Array(TestStream.video[60..<90]), audio: []).arrivingNow().map { packet in
            var packet = packet
            packet.sequence += (packets.last?.sequence ?? 0) - 65_499
            return packet
        }
        tap.push(fresh)
        tap.close()
        var bytes: [UInt8] = []
        for try await piece in live { bytes += piece }
        let frames = try read(bytes).frames
        #expect(frames.map(\.bytes) == TestStream.video[60..<90].map(\.bytes))
        #expect(frames.first?.isKeyframe == true)
    }

    @Test("A reader that reads nothing holds bounded memory and ends, and the tap keeps no packets")
    func stalled() async throws {
        var options = LiveOptions()
        // Room for one key frame.
        options.backlog.maximumBytes = TestStream.video.map(\.bytes.count).max() ?? 0
        options.alignmentWait = .zero
        let (changes, change) = AsyncStream.makeStream(of: LiveChange.self)
        let tap = PacketTap(capacity: 8 << 20)
        let live = try LiveStream(
            tap: tap, kinds: [.video], options: options,
            notify: { new in
                change.yield(new)
                if case .tooSlow = new { change.finish() }
            })
        tap.push(TestStream().packets(audio: []).arrivingNow())
        var skips = 0
        for await new in changes {
            if case .skipped = new { skips += 1 }
            #expect(live.heldBytes <= options.backlog.maximumBytes)
        }
        #expect(skips == 3)
        var pieces = 0
        for try await _ in live { pieces += 1 }
        #expect(pieces <= 1 && tap.isClosed)
    }

    @Test("Video that comes later ends the body, because the header lacks its track")
    func otherHeader() async throws {
        let tap = PacketTap(capacity: 8 << 20)
        let live = try LiveStream(tap: tap, kinds: [.audio])
        tap.push(TestStream().packets(video: []).arrivingNow())
        tap.push(TestStream().packets(audio: []).arrivingNow())
        for try await _ in live {}
        #expect(tap.isClosed)
    }

    @Test("A released live stream closes its tap")
    func released() async throws {
        let tap = PacketTap(capacity: 1 << 20)
        do { _ = try LiveStream(tap: tap, kinds: [.audio]) }
        #expect(tap.isClosed)
    }
}
