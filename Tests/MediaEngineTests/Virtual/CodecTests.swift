import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Testing
import Transport
import WebRTCClient

@Suite("STR-7 Video codecs in virtual time")
struct CodecTests {
    /// A session in which Ada publishes "camera". Bob accepts VP8 and H.264, Eve only VP8.
    private static func room(_ codecs: [VideoCodec], seed: UInt64) throws
        -> (VirtualSession, ada: VirtualParticipant, bob: VirtualParticipant, eve: VirtualParticipant)
    {
        let room = try VirtualSession(seed: seed)
        let ada = room.join("Ada")
        let bob = room.join("Bob", videoCodecs: [.vp8, .h264])
        let eve = room.join("Eve")
        try room.publish("camera", by: ada, codecs: codecs)
        return (room, ada, bob, eve)
    }

    /// Changes of the support of the stream's codec that were reported for a participant. Ends the relay.
    private static func reports(_ room: VirtualSession, _ participant: VirtualParticipant) async throws -> [VideoCodec?]
    {
        room.call.relay.close()
        let subscriber = try #require(participant.subscriberID)
        var reports: [VideoCodec?] = []
        for await event in room.call.relay.events {
            switch event {
            case .unsupportedCodec(_, subscriber, "camera", let codec): reports.append(codec)
            case .supportedCodec(_, subscriber, "camera"): reports.append(nil)
            default: break
            }
        }
        return reports
    }

    @Test(
        "H.264 is sent to a subscriber that accepts it; one that does not gets the audio, one report, and no key frames"
    )
    func unsupported() async throws {
        let (room, ada, bob, eve) = try Self.room([.h264], seed: 701)
        var lossy = LinkConditions(delay: .milliseconds(10))
        lossy.loss = .uniform(0.1)
        bob.setDownlink(lossy)
        try room.subscribe(bob, to: "camera")
        try room.run(seconds: 1)
        #expect(try room.call.relay.streams(session: room.session).map(\.codec) == [.h264])
        bob.forgetReceived()
        let before = ada.published[0].keyFrameRequests
        try room.subscribe(eve, to: "camera")
        for _ in 0..<30 {
            for track in eve.receiving.tracks.indices { eve.receiving.requestKeyFrame(track: track) }
            eve.drain()
            try room.run(seconds: 0.1)
        }
        #expect(eve.receiving.statistics.keyFrameRequestsSent > 2, "the client asks, as one that sees nothing does")
        #expect(ada.published[0].keyFrameRequests == before, "\(ada.published[0].keyFrameRequests)")
        let seen = try #require(bob.received["camera"])
        #expect(seen.frames >= 55 && seen.payloadTypes == [98], "\(seen.frames) \(seen.payloadTypes)")
        #expect(bob.receiving.statistics.recovered > 0, "lost packets are sent again")
        let heard = try #require(eve.received["camera"])
        #expect(heard.audioPackets > 100 && heard.frames == 0 && heard.payloadTypes.isEmpty, "\(heard.audioPackets)")
        #expect(bob.strays.isEmpty && eve.strays.isEmpty, "\(bob.strays) \(eve.strays)")
        #expect(try await Self.reports(room, eve) == [.h264])
    }

    @Test(
        "Parameter sets that only the publisher's description has precede each key frame, also of late joiners and after losses",
        arguments: [0, 0.1])
    func describedParameterSets(loss: Double) throws {
        let room = try VirtualSession(seed: 706)
        let ada = room.join("Ada")
        let (bob, eve) = (room.join("Bob", videoCodecs: [.h264]), room.join("Eve", videoCodecs: [.h264]))
        var lossy = LinkConditions(delay: .milliseconds(10))
        lossy.loss = .uniform(loss)
        ada.setUplink(lossy)
        ada.describesParameterSets = true
        try room.publish("camera", by: ada, codecs: [.h264])
        try room.subscribe(bob, to: "camera")
        try room.run(seconds: 1)
        bob.forgetReceived()
        try room.subscribe(eve, to: "camera")
        for _ in 0..<10 {
            for track in bob.receiving.tracks.indices { bob.receiving.requestKeyFrame(track: track) }
            bob.drain()
            try room.run(seconds: 0.4)
        }
        for participant in [bob, eve] {
            let seen = try #require(participant.received["camera"])
            #expect(seen.frames >= 70 && seen.keyFrames >= 2, "\(seen.frames) \(seen.keyFrames)")
            if loss == 0 { #expect(seen.decodableKeyFrames == seen.keyFrames) }
            // A key frame whose first packet was lost and sent again has none; the next one does.
            #expect(seen.decodableKeyFrames >= 2, "\(seen.decodableKeyFrames) of \(seen.keyFrames)")
            #expect(participant.strays.isEmpty, "\(participant.strays)")
        }
        if loss > 0 {
            #expect(ada.publishing.statistics.retransmissions > 0, "the relay's requests name the publisher's packets")
        }
    }

    @Test("H.264 with reordered frames is reported once, and is forwarded", arguments: [true, false])
    func reorderedFrames(isReordered: Bool) async throws {
        let room = try VirtualSession(seed: 707)
        let (ada, bob) = (room.join("Ada"), room.join("Bob", videoCodecs: [.h264]))
        ada.reordersFrames = isReordered
        try room.publish("camera", by: ada, codecs: [.h264])
        try room.subscribe(bob, to: "camera")
        try room.run(seconds: 3)
        #expect(bob.received["camera"]?.frames ?? 0 > 40)
        let streams = try room.call.relay.streams(session: room.session)
        #expect(streams.map { $0.video?.reordersFrames } == [isReordered])
        room.call.relay.close()
        var reports: [StreamEvent] = []
        for await event in room.call.relay.events { if case .framesReordered = event { reports.append(event) } }
        let publisher = try #require(ada.publisherID)
        #expect(
            reports
                == (isReordered
                    ? [.framesReordered(session: room.session, transport: publisher, stream: "camera")] : []))
    }

    @Test("A media section continues under other payload types when its stream returns in another codec")
    func returns() async throws {
        let (room, ada, bob, eve) = try Self.room([.vp8], seed: 702)
        try room.subscribe(bob, to: "camera")
        try room.subscribe(eve, to: "camera")
        try room.run(seconds: 1)
        #expect(bob.received["camera"]?.payloadTypes == [96])
        let sections = bob.receiving.tracks.map { $0?.encodings }
        try ada.unpublish("camera")
        try room.run(seconds: 0.3)
        for participant in [bob, eve] { participant.forgetReceived() }
        try room.publish("camera", by: ada, codecs: [.h264, .vp8])
        try room.run(seconds: 1.5)
        let seen = try #require(bob.received["camera"])
        #expect(seen.frames > 20 && seen.payloadTypes == [98], "\(seen.frames) \(seen.payloadTypes)")
        #expect(bob.receiving.tracks.map { $0?.encodings } == sections, "same SSRCs, without another offer")
        #expect(eve.received["camera"]?.payloadTypes == [] && eve.received["camera"]?.audioPackets ?? 0 > 50)
        #expect(bob.strays.isEmpty && eve.strays.isEmpty, "\(bob.strays) \(eve.strays)")
        #expect(try await Self.reports(room, eve) == [.h264])
    }

    @Test("A publisher that offers another codec in the same section continues as a new track")
    func renegotiates() async throws {
        let (room, ada, bob, eve) = try Self.room([.vp8], seed: 703)
        try room.subscribe(bob, to: "camera")
        try room.subscribe(eve, to: "camera")
        try room.run(seconds: 1)
        for (codec, payloadType) in [(VideoCodec.h264, 98), (.vp8, 96)] as [(VideoCodec, UInt8)] {
            try ada.setCodecs([codec], of: "camera")
            // Packets of the old codec are in flight.
            try room.run(seconds: 0.2)
            for participant in [bob, eve] { participant.forgetReceived() }
            try room.run(seconds: 1)
            let seen = try #require(bob.received["camera"])
            #expect(seen.frames >= 19 && seen.payloadTypes == [payloadType], "\(seen.frames) \(seen.payloadTypes)")
            let other = try #require(eve.received["camera"])
            #expect(other.audioPackets > 45 && (other.frames >= 19) == (codec == .vp8), "\(other.frames)")
            #expect(try room.call.relay.streams(session: room.session).map(\.codec) == [codec])
        }
        #expect(bob.strays.isEmpty && eve.strays.isEmpty, "\(bob.strays) \(eve.strays)")
        #expect(try await Self.reports(room, eve) == [.h264, nil])
    }

    @Test(
        "A subscriber of one stream is refused if it accepts another codec only; without a name it gets a stream that it accepts"
    )
    func oneStream() throws {
        let (room, ada, _, _) = try Self.room([.vp8], seed: 704)
        try room.publish("screen", by: ada, codecs: [.h264])
        try room.run(seconds: 1)
        func open(_ stream: String?, _ codecs: [VideoCodec]) throws -> (WebRTCAnswer, String) {
            var random = SeededGenerator(seed: 9)
            let endpoint = WebRTCEndpoint(
                .subscriber(identity: VirtualCall.clientIdentity, codecs: codecs, using: &random), random: random)
            return try room.call.negotiate(endpoint.offer.text, .subscribe, room.session, stream)
        }
        #expect(throws: EngineError.codecMismatch(offered: [.vp8], stream: .h264)) { try open("screen", [.vp8]) }
        #expect(throws: EngineError.codecMismatch(offered: [.vp9, .av1], stream: .h264)) {
            try open(nil, [.av1, .vp9])
        }
        #expect(try open(nil, [.vp8]).0.stream == "camera")
        let (answer, text) = try open(nil, [.vp8, .h264])
        #expect(answer.stream == "screen" && answer.codec == .h264)
        #expect(text.contains(" UDP/TLS/RTP/SAVPF 98 99\r\n") && !text.contains("VP8"), "\(text)")
        #expect(answer.sources.allSatisfy { ($0.rtxSSRC != nil) == ($0.kind == .video) })
    }

    @Test("A codec that the configuration does not allow is refused, and is not in the relay's offers")
    func notAllowed() throws {
        let room = try VirtualSession(seed: 705) { $0.videoCodecs = [.vp9, .vp8] }
        let ada = room.join("Ada")
        #expect(
            throws: EngineError.invalidRequest(field: "sdp", reason: "the relay does not forward H264")
        ) { try room.publish("camera", by: ada, codecs: [.h264]) }
        let offer = try room.call.relay.openSubscriber(session: room.session)
        #expect(offer.videoCodecs == [.vp9, .vp8])
    }
}
