import MediaBase
import Testing

@testable import MediaEngine

@Suite("Quality timeline of a peer connection")
struct QualityTimelineTests {
    private func point(_ second: Double) -> QualityPoint { QualityPoint(at: .seconds(second)) }

    @Test("A point is kept with its units: hundredths of seconds, milliseconds, kilobits per second") func units() {
        var timeline = QualityTimeline(limit: 4, start: .seconds(100))
        var full = point(101.25)
        full.packets = 312
        full.lost = 9
        full.bitrate = .kilobits(1_640)
        full.roundTrip = .milliseconds(48)
        full.estimate = .kilobits(2_100)
        full.video = .init(layer: 2, temporalLayer: 3, height: 1_080)
        full.frozen = 1
        let unknown = point(102.25)
        timeline.append(full)
        timeline.append(unknown)
        #expect(timeline.points == [full, unknown])
    }

    @Test("Values out of range saturate, and stay apart from unknown ones") func saturation() {
        var timeline = QualityTimeline(limit: 1, start: .zero)
        var huge = QualityPoint(at: .never)
        huge.packets = .max
        huge.lost = .max
        huge.bitrate = Bitrate(rawValue: .max)
        huge.estimate = Bitrate(rawValue: .max)
        huge.roundTrip = .never
        huge.video = .init(layer: .max, temporalLayer: nil, height: .max)
        huge.frozen = .max
        timeline.append(huge)
        let kept = timeline.points[0]
        #expect(kept.packets == 65_535 && kept.lost == 65_535 && kept.frozen == 255)
        #expect(kept.roundTrip == .milliseconds(65_534) && kept.estimate == .kilobits(4_294_967_294))
        #expect(kept.video == .init(layer: 14, temporalLayer: nil, height: 65_535))
        var negative = QualityPoint(at: MediaTime(rawValue: .min))
        negative.packets = .min
        negative.bitrate = Bitrate(rawValue: .min)
        negative.roundTrip = MediaTime(rawValue: .min)
        timeline.append(negative)
        #expect(timeline.points[0].packets == 0 && timeline.points[0].roundTrip == .zero)
    }

    @Test("At the limit a point replaces the oldest one", arguments: [1, 2, 16, 17, 600]) func limit(_ limit: Int) {
        var timeline = QualityTimeline(limit: limit, start: .zero)
        for second in 1...(2 * limit + 1) { timeline.append(point(Double(second))) }
        let seconds = timeline.points.map { Int($0.at.seconds) }
        #expect(seconds == Array((limit + 2)...(2 * limit + 1)))
    }

    @Test("A limit of 0 keeps nothing") func off() {
        var timeline = QualityTimeline(limit: 0, start: .zero)
        timeline.append(point(5))
        #expect(timeline.points.isEmpty && timeline.last == .seconds(5))
    }

    @Test("Points are due one second apart") func due() {
        var timeline = QualityTimeline(limit: 3, start: .seconds(10))
        #expect(!timeline.isDue(now: .seconds(10.99)) && timeline.isDue(now: .seconds(11)))
        timeline.append(point(11.3))
        #expect(!timeline.isDue(now: .seconds(12.2)) && timeline.isDue(now: .seconds(12.3)))
    }

    @Test("Counters that go back add nothing") func counters() {
        var before = TrackCounts()
        let first = TrackCounts(packets: 10, bytes: 1_000, lost: 3).added(since: &before)
        #expect(first.packets == 10 && first.bytes == 1_000 && first.lost == 3)
        let back = TrackCounts(packets: 4, bytes: 400, lost: -2).added(since: &before)
        #expect(back.packets == 0 && back.bytes == 0 && back.lost == 0)
        let next = TrackCounts(packets: 6, bytes: 700, lost: .max).added(since: &before)
        #expect(next.packets == 2 && next.bytes == 300 && next.lost > 0)
    }
}
