import MediaBase
import RTP
import Testing

@testable import Recording

/// The first half second of a recording, in which the packet with the least delay is found.
@Suite struct SettlingTests {
    private static let ntp: UInt64 = 0xe000_0000_1234_5678

    @Test(
        "Two seconds that arrive at once are recorded whole, and the file begins at their capture",
        arguments: [true, false])
    func burst(reports: Bool) {
        let stream = TestStream(wallClock: reports ? Self.ntp : nil)
        var recording = StreamRecording(kinds: [.audio, .video])
        let outputs = recording.run(stream.packets().gathered(until: .seconds(102)))
        #expect(outputs.starts.count == 1)
        #expect(abs((outputs.starts[0].time - .seconds(100)).rawValue) < 30_000_000)
        #expect(outputs.frames(.video).map(\.bytes) == TestStream.video.map(\.bytes))
        #expect(outputs.frames(.audio).map(\.bytes) == TestStream.audio)
        for (index, frame) in outputs.frames(.video).enumerated() {
            #expect(abs(frame.time.rawValue - Int64(index) * 1_000_000_000 / 30) < 30_000_000)
        }
        for (index, frame) in outputs.frames(.audio).enumerated() {
            #expect(abs(frame.time.rawValue - Int64(index) * 20_000_000) < 30_000_000)
        }
        #expect(recording.statistics.timeJumps == 0 && recording.statistics.unorderedFrames == 0)
        guard reports else { return }
        let distance = NTPTime(rawValue: outputs.starts[0].captureNTP ?? 0).distance(from: NTPTime(rawValue: Self.ntp))
        #expect(abs(distance.rawValue) < 30_000_000)
    }

    @Test(
        "Frames are held for half a second, or without sender reports for a second, and then written without further packets",
        arguments: [true, false])
    func wait(reports: Bool) throws {
        let wait: MediaTime = reports ? .milliseconds(500) : .seconds(1)
        var recording = StreamRecording(kinds: [.audio, .video])
        let packets = TestStream(wallClock: reports ? Self.ntp : nil).packets()
        for packet in packets where packet.arrival < .seconds(100.2) {
            recording.insert(packet)
            recording.handleTimeout(now: packet.arrival)
        }
        #expect(recording.outputs().isEmpty)
        let due = try #require(recording.nextTimeout)
        #expect(due >= .seconds(100) + wait && due < .seconds(100.1) + wait)
        recording.handleTimeout(now: due)
        #expect(recording.outputs().starts.count == 1)
    }

    @Test("Audio alone is held for half a second")
    func audio() {
        var recording = StreamRecording(kinds: [.audio])
        for packet in TestStream().packets(video: []) where packet.arrival < .seconds(100.49) {
            recording.insert(packet)
        }
        #expect(recording.outputs().isEmpty && recording.nextTimeout == .seconds(100.5))
        recording.handleTimeout(now: .seconds(100.5))
        #expect(recording.outputs().frames(.audio).count == 25)
    }
}
