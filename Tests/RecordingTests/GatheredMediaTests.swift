import Containers
import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

/// Media that a publisher gathered before and sent at once, as an encoder does when it starts, and gaps that look alike.
@Suite("REC-2 Media that was gathered before it was sent") struct GatheredMediaTests {
    /// Records a steady publisher, and another one from second 101 on, and composes both.
    private static func compose(
        _ session: RecordedSession, _ other: DriftingPublisher
    ) throws -> (report: ComposeReport, tracks: [Int: [WebMFrame]]) {
        let steady = DriftingPublisher(drift: 200, start: .seconds(100), duration: other.duration, seed: 1)
        try session.record("a", of: "Ada", steady.packets())
        try session.record("b", of: "Bo", other.packets())
        let report = try session.compose()
        #expect(report.tracks.count == 4 && report.warnings.isEmpty)
        return (report, try session.composed())
    }

    private static func publisher(seconds: Double = 400) -> DriftingPublisher {
        var publisher = DriftingPublisher(drift: -200, start: .seconds(101), duration: .seconds(seconds), seed: 2)
        publisher.dense = .seconds(90)
        return publisher
    }

    @Test(
        "REC-2 media that arrives at once when its publisher starts is at the time of its capture, from the first frame on",
        arguments: [0.3, 0.6, 1.5, 2.4, 4, 9], [100.0, 3])
    func burst(seconds: Double, speed: Double) throws {
        var late = Self.publisher()
        (late.burst, late.burstSpeed) = (.seconds(seconds), speed)
        let session = try RecordedSession()
        let (report, tracks) = try Self.compose(session, late)
        #expect(report.tracks.allSatisfy { $0.droppedFrames == 0 })
        let drifts = report.files.compactMap(\.driftPPM)
        #expect(abs(drifts[0] + 200) < 10 && abs(drifts[1] - 200) < 10, "\(drifts)")
        #expect(SessionComposerTests.skew(of: tracks) <= .milliseconds(20))
        // None of it is missing, apart from the twentieth that the network lost.
        for track in [3, 4] {
            let captured = try #require(tracks[track]).map { DriftingPublisher.captureTime(of: $0.bytes) }
            #expect(captured.count { $0 < .seconds(111) } > 85 && captured[0] < .seconds(101.4))
        }
        // A reader of the index needs no clock points to align the files, if the burst ends within half a second.
        let starts = session.files.map { Double($0.startUnixNanoseconds - RecordedSession.wallClock) / 1e9 }
        if speed == 100, seconds < 3 { #expect(abs(starts[1] - 101.05) < 0.25, "\(starts)") }
        // A file never begins more than three seconds before its first packet.
        #expect(starts[1] >= 101 + seconds - 3)
    }

    @Test("REC-2 a publisher that sends far too early, or few frames of what it gathered, is aligned from then on")
    func longBurst() throws {
        var early = Self.publisher()
        early.burst = .seconds(40)
        var sparse = DriftingPublisher(drift: -200, start: .seconds(101), duration: .seconds(400), seed: 2)
        sparse.burst = .seconds(4)
        for publisher in [early, sparse] {
            let tracks = try Self.compose(try RecordedSession(), publisher).tracks
            #expect(SessionComposerTests.skew(of: tracks, captured: .seconds(160) ..< .never) <= .milliseconds(20))
        }
    }

    @Test("REC-2 a reconnection that sends again what is already recorded continues the tracks")
    func repetition() throws {
        let session = try RecordedSession()
        var (first, second) = (Self.publisher(seconds: 60), Self.publisher(seconds: 60))
        // Sends again the last six seconds before the reconnection.
        (second.start, second.burst) = (.seconds(156), .seconds(8))
        (first.burst, second.seed) = (.seconds(1), 3)
        try session.record("b", of: "Bo", first.packets())
        try session.record("b", of: "Bo", second.packets())
        let report = try session.compose()
        #expect(report.tracks.map(\.files) == [2, 2])
        #expect(SessionComposerTests.skew(of: try session.composed()) <= .milliseconds(20))
    }

    @Test("REC-2 a publisher that restarts its clock is aligned before and after", arguments: [-5_000, -40, 40, 5_000])
    func restartedClock(seconds: Double) throws {
        var other = Self.publisher()
        other.burst = .seconds(1.5)
        other.clock = { $0 < .seconds(60) ? $0 : $0 + .seconds(seconds) }
        let tracks = try Self.compose(try RecordedSession(), other).tracks
        #expect(SessionComposerTests.skew(of: tracks) <= .milliseconds(20))
    }

    @Test(
        "REC-2 a minute without media stays a gap, whether or not the publisher's clock runs on",
        arguments: [true, false])
    func pause(runsOn: Bool) throws {
        var other = Self.publisher()
        other.burst = .seconds(1.5)
        other.pause = .seconds(20) ..< .seconds(80)
        if !runsOn { other.clock = { $0 < .seconds(80) ? $0 : $0 - .seconds(60) } }
        let tracks = try Self.compose(try RecordedSession(), other).tracks
        #expect(SessionComposerTests.skew(of: tracks) <= .milliseconds(20))
    }
}
