import MediaBase
import Testing

@testable import Recording

/// Frames that wait for a reader, in virtual time.
@Suite("LIV-1 backlog of a reader") struct LiveBacklogTests {
    private static let start = StreamRecording.Start(
        width: 160, height: 120, hasAudio: true, hasVideo: true, codec: .vp8, codecPrivate: [], rotation: .none,
        time: .zero, captureNTP: nil)

    private func frame(_ kind: MediaKind, at time: MediaTime, isKey: Bool = false, bytes: Int = 100)
        -> StreamRecording.Frame
    {
        StreamRecording.Frame(
            kind: kind, time: time, duration: .milliseconds(20), isKeyFrame: isKey || kind == .audio, size: nil,
            rotation: nil, bytes: [UInt8](repeating: 0, count: bytes))
    }

    /// Appends 25 frames a second and as many audio packets, with a key frame each second.
    private func append(_ seconds: Range<Int>, to backlog: inout LiveBacklog, bytes: Int = 100) {
        for index in seconds.lowerBound * 25..<seconds.upperBound * 25 {
            let time = MediaTime.milliseconds(Int64(index) * 40)
            backlog.append(frame(.video, at: time, isKey: index % 25 == 0, bytes: bytes), now: time)
            backlog.append(frame(.audio, at: time), now: time)
        }
    }

    private func frames(_ backlog: inout LiveBacklog) -> [(frame: StreamRecording.Frame, isResumed: Bool)] {
        var all: [(frame: StreamRecording.Frame, isResumed: Bool)] = []
        while let element = backlog.next() {
            if case .frame(let frame, let isResumed) = element { all.append((frame, isResumed)) }
        }
        return all
    }

    @Test("A reader that is less than 5 s behind gets every frame, in order")
    func inTime() {
        var backlog = LiveBacklog()
        backlog.begin(Self.start)
        append(0..<5, to: &backlog)
        guard case .start? = backlog.next() else {
            Issue.record("the file has no start")
            return
        }
        let all = frames(&backlog)
        #expect(all.count == 250 && !all.contains { $0.isResumed })
        let times = all.map { $0.frame.time }
        #expect(times == times.sorted())
        #expect(backlog.skips == 0 && backlog.skippedFrames == 0 && backlog.bytes == 0)
        // Single reads keep the order too, for more frames than are released at once.
        for second in 5..<40 {
            append(second..<second + 1, to: &backlog)
            #expect(frames(&backlog).count == 50)
        }
        #expect(backlog.skips == 0)
    }

    @Test("A reader that falls 5 s behind continues with the next key frame")
    func behind() {
        var backlog = LiveBacklog()
        backlog.begin(Self.start)
        append(0..<5, to: &backlog)
        #expect(!backlog.needsKeyFrame)
        // The oldest frame has waited for 5 s: this frame and all before it are dropped.
        backlog.append(frame(.video, at: .seconds(5)), now: .seconds(5))
        #expect(backlog.needsKeyFrame && backlog.skips == 1 && backlog.bytes == 0 && backlog.skippedFrames == 251)
        backlog.append(frame(.audio, at: .seconds(5)), now: .seconds(5))
        #expect(backlog.bytes == 0)
        append(6..<7, to: &backlog)
        #expect(!backlog.needsKeyFrame)
        guard case .start? = backlog.next() else {
            Issue.record("the start of the file was dropped")
            return
        }
        let all = frames(&backlog)
        #expect(all.count == 50 && all[0].isResumed && !all.dropFirst().contains { $0.isResumed })
        #expect(all[0].frame.kind == .video && all[0].frame.isKeyFrame && all[0].frame.time == .seconds(6))
        #expect(!backlog.isTooSlow)
    }

    @Test("A reader that falls behind three times in a minute is too slow, and holds nothing")
    func tooSlow() {
        var backlog = LiveBacklog()
        backlog.begin(Self.start)
        append(0..<11, to: &backlog)
        #expect(backlog.skips == 2 && !backlog.isTooSlow)
        append(11..<30, to: &backlog)
        #expect(backlog.skips == 3 && backlog.isTooSlow && backlog.bytes == 0 && !backlog.needsKeyFrame)
        #expect(frames(&backlog).isEmpty)
    }

    @Test("A reader that falls behind every 31 s stays")
    func seldomBehind() {
        var backlog = LiveBacklog()
        backlog.begin(Self.start)
        for round in 0..<10 {
            append(round * 31..<round * 31 + 6, to: &backlog)
            #expect(backlog.skips == UInt64(round) + 1)
            // It reads again.
            _ = frames(&backlog)
        }
        #expect(!backlog.isTooSlow)
    }

    @Test("Waiting frames never exceed their maximum of bytes, at any bit rate")
    func bytes() {
        var options = LiveBacklog.Options()
        options.maximumBytes = 100_000
        var backlog = LiveBacklog(options: options)
        backlog.begin(Self.start)
        for index in 0..<200 {
            let time = MediaTime.milliseconds(Int64(index) * 10)
            backlog.append(frame(.video, at: time, isKey: true, bytes: 1_000 * (index % 50)), now: time)
            #expect(backlog.bytes <= options.maximumBytes)
        }
        #expect(backlog.skips == 3 && backlog.isTooSlow)
        // A frame that can never fit.
        var other = LiveBacklog(options: options)
        other.begin(Self.start)
        other.append(frame(.video, at: .zero, isKey: true, bytes: 200_000), now: .zero)
        #expect(other.bytes == 0 && other.skippedFrames == 1)
    }

    @Test("Audio alone continues at once")
    func audioAlone() {
        var start = Self.start
        start.hasVideo = false
        var backlog = LiveBacklog()
        backlog.begin(start)
        backlog.append(frame(.audio, at: .zero), now: .zero)
        backlog.append(frame(.audio, at: .seconds(5)), now: .seconds(5))
        #expect(backlog.skips == 1 && !backlog.needsKeyFrame)
        let all = frames(&backlog)
        #expect(all.map { $0.frame.time } == [.seconds(5)] && all[0].isResumed)
    }
}
