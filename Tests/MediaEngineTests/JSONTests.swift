import MediaBase
import MillraceTestKit
import SRTP
import Testing
import Transport

@testable import MediaEngine

/// Answers and events that relays of a cluster send each other.
@Suite("JSON of media calls")
struct JSONTests {
    private static let peer = TransportID(rawValue: "00abcdef")

    static let errors: [EngineError] = [
        .unknownSession("a"), .unknownStream("b"), .unknownTransport("c"), .streamEncrypted("d"), .streamExists("e"),
        .ssrcInUse(.max), .codecMismatch(offered: [.vp8, .av1], stream: .h264),
        .invalidRequest(field: "f", reason: "g"), .limitReached(name: "h", limit: .max),
        .addressUnusable(address: "i", reason: "j"), .systemCall(name: "bind", errno: -1), .stopped,
    ]

    @Test("Each error is the same after a way through JSON", arguments: errors)
    func error(_ error: EngineError) throws {
        try JSONFaults.check(error) { _ = ($0.code, $0.description) }
        #expect(Set(Self.errors.map(\.code)).count == Self.errors.count)
    }

    static let events: [StreamEvent] = [
        .published(session: "a", transport: peer, stream: "s"), .closed(session: "a", transport: peer, stream: "s"),
        .trackPaused(session: "a", transport: peer, stream: "s", kind: .video),
        .trackResumed(session: "a", transport: peer, stream: "s", kind: .video),
        .unsupportedCodec(session: "a", transport: peer, stream: "s", codec: .av1),
        .supportedCodec(session: "a", transport: peer, stream: "s"),
        .mediaBegan(session: "a", transport: peer, stream: "s", kind: .audio),
        .dimensions(session: "a", transport: peer, stream: "s", width: 640, height: 360),
        .peerGone(session: "a", transport: peer),
        .noMediaPath(session: "a", transport: peer, .noHandshake(hasBegun: true)),
        .activeSpeaker(session: "a", subsession: "b1", stream: "s"), .pipedStreamsChanged(session: "a"),
        .mirrored(session: "a", stream: "s"), .missed(session: "a"),
    ]

    @Test("Each event is the same after a way through JSON", arguments: events)
    func event(_ event: StreamEvent) throws {
        let optional: Set<String> =
            switch event {
            case .activeSpeaker: ["activeSpeaker.stream"]
            case .missed: ["missed.session"]
            default: []
            }
        try JSONFaults.check(event, optional: optional) { _ = $0.session }
    }

    @Test("Events without a stream or a session are the same after a way through JSON")
    func emptyEvents() throws {
        try JSONFaults.check(StreamEvent.activeSpeaker(session: "a", subsession: "", stream: nil))
        try JSONFaults.check(StreamEvent.missed(session: nil))
    }

    @Test("Statistics are the same after a way through JSON") func statistics() throws {
        var statistics = PeerStatistics()
        var track = PeerStatistics.Track(stream: "s", kind: .video)
        track.packets = .max
        track.bytes = .max
        track.lost = .min
        track.bitrate = .kilobits(500)
        track.jitter = .milliseconds(3)
        track.encoding = RID("h")
        track.temporalLayer = 3
        track.isPaused = true
        track.width = 640
        track.height = 360
        statistics.published = [PeerStatistics.Track(stream: "t", kind: .audio)]
        statistics.subscribed = [track]
        statistics.availableBitrate = .kilobits(2_000)
        statistics.roundTrip = .milliseconds(40)
        statistics.unsent = ["noBuffers": 3]
        try JSONFaults.check(
            statistics,
            optional: Set(
                ["availableBitrate", "roundTrip", "unsent.noBuffers"]
                    + ["jitter", "encoding", "temporalLayer", "isPaused", "width", "height"].map {
                        "subscribed.0.\($0)"
                    }))
        try JSONFaults.check(PeerStatistics())
    }

    @Test("Quality is the same after a way through JSON, and points out of range saturate") func quality() throws {
        var timeline = QualityTimeline(limit: 3, start: .seconds(100))
        for second in 1...5 {
            var point = QualityPoint(at: .seconds(100 + Double(second)))
            point.packets = second
            point.bitrate = .kilobits(640)
            point.roundTrip = .milliseconds(20)
            point.estimate = .kilobits(900)
            point.video = .init(layer: 2, temporalLayer: 1, height: 720)
            timeline.append(point)
        }
        let quality = PeerQuality(timeline: timeline, now: .seconds(106))
        let decoded = try JSONFaults.decoded(quality)
        #expect(decoded.now == quality.now && decoded.timeline?.points == timeline.points && timeline.points.count == 3)
        let faults = try JSONFaults(of: quality) { _ = $0.timeline?.points }
        #expect(faults.strange.isEmpty && faults.refused > 50)
        #expect(!faults.optional.contains("timeline.start") && faults.optional.contains("timeline"))
        #expect(try JSONFaults.decoded(PeerQuality(timeline: nil, now: .zero)).timeline == nil)
        let (least, most) = (Int64.min, Int64.max)
        let numbers = #""packets": -1, "lost": \#(most), "bitrate": \#(least), "frozen": 300, "roundTrip": -9"#
        let video = #""video": {"layer": -1, "temporalLayer": 99, "height": -2}"#
        let huge = #"{"at": \#(most), \#(numbers), "estimate": -9, \#(video)}"#
        let json = #"{"now": 0, "timeline": {"start": \#(least), "points": [\#(huge), \#(huge)]}}"#
        #expect(try JSONFaults.decode(PeerQuality.self, json).timeline?.points.count == 2)
    }

    @Test("A trace is the same after a way through JSON") func trace() throws {
        var trace = PeerTrace(now: .seconds(5))
        let headers = PacketFate.allCases.map { fate in
            HeaderNote(
                arrival: .max, timestamp: 2, sequence: .max, bytes: 4, fate: fate, flags: [.marker, .keyFrame, .late])
        }
        trace.published = [PeerTrace.Track(stream: "s", kind: .video, encoding: RID("h"), headers: headers)]
        trace.subscribed = [PeerTrace.Track(stream: "s", kind: .audio, sequenceOffset: .min, headers: [])]
        trace.decisions = PeerDecision.Kind.allCases.map {
            PeerDecision(at: .seconds(1), kind: $0, stream: $0 == .moved ? nil : "s", value: .min)
        }
        #expect(try JSONFaults.decoded(trace) == trace)
        let faults = try JSONFaults(of: trace) { trace in
            for note in trace.published.flatMap(\.headers) { _ = note.age(now: trace.now) }
        }
        #expect(faults.strange.isEmpty && faults.refused > 500)
        #expect(Set(["now", "published", "subscribed", "decisions"]).isDisjoint(with: faults.optional))
        for short in ["[]", "[1,2,3,4,0]", "[1,2,3,4,7,0]", "[1,2,65536,4,0,0]", "{}"] {
            #expect(throws: DecodingError.self) { try JSONFaults.decode(HeaderNote.self, short) }
        }
    }

    @Test("Pipes are the same after a way through JSON") func pipes() throws {
        try JSONFaults.check(PipeKeys.random())
        try JSONFaults.check(PipeEnd(id: Self.peer, address: "2001:db8::1", port: .max, ssrc: .max))
        try JSONFaults.check(PipeTrack(number: .max, ssrc: 1, rtx: .max))
        let stream = PipeDescription.Stream(
            name: "camera", subsession: "b1", createdAt: .max, isEncrypted: true, codec: .av1, muted: [.audio, .video],
            tracks: [
                .init(number: 1, kind: .audio, rid: nil, payloadType: 111, replayLimit: .never),
                .init(number: .max, kind: .video, rid: "h", payloadType: 96, replayLimit: .milliseconds(500)),
            ])
        try JSONFaults.check(
            PipeDescription(streams: [stream]), optional: ["streams.0.codec", "streams.0.tracks.1.rid"])
        #expect(throws: DecodingError.self) {
            try JSONFaults.decode(PipeDescription.self, #"{"streams": [{"name": "camera"}]}"#)
        }
    }

    @Test("A description with faults is applied as far as possible") func hostileDescription() throws {
        let engine = try VirtualEngine(seed: 1) { _, _, _ in }
        let end = try engine.openPipeReceiver(session: "room", .random())
        let sender = PipeEnd(id: Self.peer, address: "127.0.0.1", port: 1, ssrc: 0)
        let stream = PipeDescription.Stream(
            name: "camera", subsession: "b1", createdAt: 1, isEncrypted: false, codec: .vp8, muted: [],
            tracks: [
                .init(number: 1, kind: .audio, rid: nil, payloadType: 111, replayLimit: .never),
                .init(number: 2, kind: .video, rid: "h", payloadType: 96, replayLimit: .milliseconds(500)),
            ])
        var applied = 0
        _ = try JSONFaults(of: PipeDescription(streams: [stream])) { description in
            do {
                _ = try engine.mirror(description, end.id, session: "room", from: sender)
                applied += 1
            } catch { Issue.record(error) }
        }
        #expect(applied > 20)
        engine.close()
    }

    @Test("The id of a transport may be any text: calls about an unknown one say so")
    func transports() throws {
        var configuration = EngineConfiguration()
        configuration.workers = 3
        let engine = try VirtualEngine(configuration: configuration, seed: 1) { _, _, _ in }
        let known = try engine.openPipeReceiver(session: "room", .random()).id
        for text in [
            "", "0", "00", "zz", "ff", "-1", "02", "\u{0}", "é", known.rawValue + "0",
            String(repeating: "f", count: 9_999),
        ] {
            let id = try JSONFaults.decoded(TransportID(rawValue: text))
            #expect(id.rawValue == text)
            #expect(throws: EngineError.unknownTransport(text)) { try engine.closeWebRTC(id, session: "room") }
            #expect(throws: EngineError.unknownTransport(text)) { try engine.peerStatistics(id, session: "room") }
            #expect(throws: EngineError.self) { try engine.closePipe(id, session: "room") }
            #expect(throws: EngineError.unknownTransport(text)) {
                try engine.setPreferences(id, session: "room", stream: "s", StreamPreferences())
            }
        }
        try engine.closePipe(known, session: "room")
        engine.close()
    }

    @Test("Preferences out of range are refused, so that no computation with them overflows")
    func preferences() throws {
        let engine = try VirtualEngine(seed: 1) { _, _, _ in }
        let id = try engine.openSubscriber(session: "room", isNative: false).id
        func set(_ preferences: StreamPreferences) throws {
            try engine.setPreferences(id, session: "room", stream: "s", preferences)
        }
        try set(StreamPreferences(width: 1, height: 16_383, frameRate: 240, priority: .min, maximumWidth: 65_535))
        for wrong in [
            StreamPreferences(width: .max), StreamPreferences(height: 0), StreamPreferences(frameRate: -1),
            StreamPreferences(maximumWidth: 65_536), StreamPreferences(maximumHeight: .min),
        ] {
            #expect(throws: EngineError.self) { try set(wrong) }
        }
        engine.close()
    }
}
