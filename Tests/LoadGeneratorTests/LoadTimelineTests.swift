import Foundation
import TestMedia
import Testing

@testable import LoadGenerator

@Suite("Timeline of a load run") struct LoadTimelineTests {
    /// Returns the state of a run after some seconds. Each second three packets are lost, or one is no longer missing.
    private func snapshot(_ seconds: Int) -> LoadSnapshot {
        let count = UInt64(seconds)
        return LoadSnapshot(
            time: Int64(seconds) * 1_000_000_000, present: seconds, failedJoins: seconds, sentPackets: count * 10,
            receivedPackets: count * 100, receivedBytes: count * 125_000, lost: (count + 1) / 2 * 3 - count / 2,
            framesDecoded: count * 30, freezes: count)
    }

    private func sample(_ second: Int, latency: Int64 = 1_000) -> TimelinePoint {
        var point = TimelinePoint(period: Measurement(start: snapshot(second), end: snapshot(second + 1)))
        point.isMeasured = second > 0
        point.latency.record(latency)
        point.busiestThread = second == 0 ? 0.5 : 0.25
        return point
    }

    @Test(
        "A run of any length has a limited number of points, which cover all of it",
        arguments: [1, 7, 8, 9, 16, 17, 1_000])
    func bounded(seconds: Int) {
        var timeline = LoadTimeline(capacity: 8)
        for second in 0..<seconds { timeline.add(sample(second)) }
        let points = timeline.points
        #expect(points.count <= 8)
        #expect(points.count == (seconds + timeline.samplesPerPoint - 1) / timeline.samplesPerPoint)
        let rows = points.map { TimelineDocument.Row($0) }
        #expect(rows.first?.start == 0)
        #expect(rows.last?.end == Double(seconds))
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(points.reduce(0) { $0 + $1.period.growth(\.receivedPackets) } == UInt64(seconds * 100))
        #expect(rows.reduce(0) { $0 + $1.failedJoins } == seconds)
        #expect(rows.reduce(0) { $0 + $1.lost } == Int64((seconds + 1) / 2 * 3 - seconds / 2))
        #expect(points.reduce(0) { $0 + $1.latency.count } == seconds)
    }

    @Test("A last sample of less than half a second is merged into the previous point", arguments: [1, 499, 500])
    func lastSample(milliseconds: Int64) {
        var timeline = LoadTimeline()
        timeline.add(sample(0))
        var last = sample(1)
        last.period.end.time = last.period.start.time + milliseconds * 1_000_000
        timeline.finish(last)
        #expect(timeline.points.count == (milliseconds < 500 ? 1 : 2))
        #expect(timeline.points.last?.period.end.time == last.period.end.time)
        #expect(timeline.points.last?.period.end.present == 2)
    }

    @Test("Merged neighbours keep their extremes")
    func merging() {
        var timeline = LoadTimeline(capacity: 2)
        for second in 0..<3 { timeline.add(sample(second, latency: Int64(second) * 1_000)) }
        let first = timeline.points[0]
        #expect(first.latency.minimum == 0)
        #expect(first.latency.maximum == 1_000)
        #expect(first.busiestThread == 0.5)
        #expect(first.period.end.present == 2)
        #expect(first.isMeasured)
    }

    private struct File: Decodable {
        struct Row: Decodable {
            struct Latency: Decodable { var p99: Double }
            var end: Double
            var measured: Bool
            var receivedKilobitsPerSecond: Double
            var lost: Int
            var latencyMilliseconds: Latency?
        }
        var version: Int
        var secondsPerPoint: Int
        var failure: String?
        var points: [Row]
    }

    @Test("The file has a row for each point, with rates")
    func document() throws {
        var timeline = LoadTimeline(capacity: 4)
        for second in 0..<5 { timeline.add(sample(second)) }
        let address = "http://127.0.0.1:1"
        let settings = try LoadRun(plan: LoadPlan(target: .url(address)), relay: HTTPRelay(address: address))
            .settings
        let text = try JSONEncoder().encode(TimelineDocument(timeline, settings: settings, failure: "it broke"))
        let file = try JSONDecoder().decode(File.self, from: text)
        #expect(file.version == 1)
        #expect(file.secondsPerPoint == 2)
        #expect(file.failure == "it broke")
        #expect(file.points.map(\.end) == [2, 4, 5])
        #expect(file.points.map(\.lost) == [2, 2, 3])
        #expect(file.points.allSatisfy { $0.receivedKilobitsPerSecond == 1_000 })
        #expect(file.points.allSatisfy { $0.latencyMilliseconds?.p99 == 1 })
    }
}
