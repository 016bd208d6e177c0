import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Testing
import Transport
import WebRTCClient
import WebRTCTestKit

@Suite("Participants in virtual time")
struct ParticipantTests {
    static let rids = ["l", "m", "h"].map { RID($0)! }

    /// A session with one publisher of a camera and one subscriber.
    static func pair(
        seed: UInt64, video: [SyntheticVideo.Encoding] = [.init(width: 320, height: 180, bitrate: .kilobits(100))],
        rids: [RID] = [], temporalLayers: Int = 1, startsMuted: Set<MediaKind> = []
    ) throws -> (VirtualSession, VirtualParticipant, VirtualParticipant) {
        let room = try VirtualSession(seed: seed)
        let ada = room.join("Ada")
        let bob = room.join("Bob")
        try room.publish(
            "camera", by: ada, video: video, rids: rids, temporalLayers: temporalLayers, startsMuted: startsMuted)
        try room.subscribe(bob, to: "camera")
        try room.run(seconds: 1)
        return (room, ada, bob)
    }

    @Test(
        "STR-1 STR-3 ten participants with cameras and screens, all subscribed to all, get exactly what they asked for"
    )
    func room() throws {
        // The path's capacity is sufficient; other tests cover how it is estimated.
        let room = try VirtualSession(seed: 1) { $0.webRTC.startBitrate = .kilobits(8_000) }
        for number in 0..<10 {
            let participant = room.join("p\(number)")
            try room.publish("camera \(number)", by: participant)
            if number % 3 == 0 { try room.publish("screen \(number)", by: participant, audio: false) }
        }
        for participant in room.participants {
            for other in room.participants where other !== participant {
                for stream in other.published { try room.subscribe(participant, to: stream.name) }
            }
            try room.run(seconds: 0.01)
        }
        try room.run(seconds: 2)
        var streams = 14
        // Streams, mutes and preferences change.
        for round in 0..<20 {
            let participant = room.participants[room.below(10)]
            switch round % 5 {
            case 0:
                streams += 1
                let stream = try room.publish(
                    "extra \(round)", by: participant, startsMuted: round % 2 == 0 ? [.audio] : [])
                for other in room.participants where other !== participant { try room.subscribe(other, to: stream) }
            case 1:
                guard participant.published.count > 1 else { continue }
                let stream = participant.published[room.below(participant.published.count)].name
                try participant.unpublish(stream)
                for other in room.participants where other.subscribed.contains(stream) {
                    try room.unsubscribe(other, from: stream)
                }
            case 2:
                let other = room.participants[(round + 3) % 10]
                if let stream = other.published.first(where: { $0.audio != nil }) {
                    try room.mute(stream.name, .audio, true)
                }
            case 3:
                if let stream = participant.subscribed.sorted().first {
                    try room.unsubscribe(participant, from: stream)
                }
            default:
                let other = room.participants[(round + 5) % 10]
                if let stream = other.published.last, stream.video != nil { try room.mute(stream.name, .video, true) }
            }
            try room.run(seconds: 0.3)
        }
        for participant in room.participants { participant.forgetReceived() }
        try room.run(seconds: 2)
        for participant in room.participants {
            #expect(participant.strays.isEmpty, "\(participant.strays.prefix(3))")
            #expect(participant.publishEnd == nil && participant.receiveEnd == nil)
            for (stream, received) in participant.received where !participant.subscribed.contains(stream) {
                #expect(received.packets == 0, "\(participant.name) \(stream)")
            }
            for stream in participant.subscribed {
                let publisher = try #require(
                    room.participants.first { $0.published.contains { $0.name == stream } }, "\(stream)")
                let published = try #require(publisher.published.first { $0.name == stream })
                let received = participant.received[stream]
                let isHeard = published.audio != nil && !room.wasMuted(stream, .audio, at: room.call.now)
                let isSeen = published.video != nil && !room.wasMuted(stream, .video, at: room.call.now)
                #expect(
                    (received?.audioPackets ?? 0 > 90) == isHeard,
                    "\(participant.name) \(stream): \(received?.audioPackets ?? 0)")
                #expect(
                    (received?.frames ?? 0 > 30) == isSeen,
                    "\(participant.name) \(stream): \(received?.frames ?? 0)")
            }
        }
        let counters = room.call.relay.counters
        #expect(counters.peersConnected == 20 && counters.transports == 20 && counters.sessions == 1)
    }

    @Test("A stream may be subscribed to before it is published, and continues when it comes back")
    func early() throws {
        let room = try VirtualSession(seed: 2)
        let bob = room.join("Bob")
        try room.subscribe(bob, to: "camera")
        try room.run(seconds: 1)
        #expect(bob.received.isEmpty && room.call.relay.counters.peersConnected == 1)
        let ada = room.join("Ada")
        try room.publish("camera", by: ada)
        try room.run(seconds: 1.5)
        #expect(bob.received["camera"]?.frames ?? 0 > 15)
        try ada.unpublish("camera")
        try room.run(seconds: 0.5)
        bob.forgetReceived()
        try room.run(seconds: 1)
        #expect(bob.received["camera"]?.packets == 0 && bob.strays.isEmpty, "\(bob.strays)")
        try room.publish("camera", by: ada)
        try room.run(seconds: 1)
        #expect(bob.received["camera"]?.frames ?? 0 > 15 && bob.strays.isEmpty, "\(bob.strays)")
        #expect(ada.publishEnd == nil && bob.receiveEnd == nil)
    }

    @Test("Streams may come and go before their publisher has connected")
    func beforeConnecting() throws {
        let room = try VirtualSession(seed: 11)
        let ada = room.join("Ada")
        let bob = room.join("Bob")
        try room.publish("first", by: ada)
        try ada.unpublish("first")
        try room.publish("second", by: ada)
        for stream in ["first", "second"] { try room.subscribe(bob, to: stream) }
        try room.run(seconds: 1.5)
        #expect(try room.call.relay.streams(session: "room").map(\.name) == ["second"])
        #expect(bob.received["first"] == nil && bob.received["second"]?.frames ?? 0 > 15)
        #expect(bob.strays.isEmpty && ada.publishEnd == nil, "\(bob.strays)")
    }

    @Test("MUT-1 USR-8 a stream that starts muted sends no packets until it is unmuted", arguments: [true, false])
    func startsMuted(beforeConnecting: Bool) throws {
        let (room, _, bob) = try Self.pair(seed: 3, startsMuted: beforeConnecting ? [.audio, .video] : [])
        if beforeConnecting {
            #expect(bob.received.isEmpty, "\(bob.received)")
        } else {
            // The same is allowed between offer and connection.
            let eve = room.join("Eve")
            try room.publish("other", by: eve)
            try room.mute("other", .audio, true)
            try room.mute("other", .video, true)
            try room.subscribe(bob, to: "other")
            try room.run(seconds: 1.5)
            #expect(bob.received["other"] == nil)
        }
        let stream = beforeConnecting ? "camera" : "other"
        for kind in [MediaKind.audio, .video] { try room.mute(stream, kind, false) }
        try room.run(seconds: 1)
        #expect(bob.received[stream]?.audioPackets ?? 0 > 40 && bob.received[stream]?.frames ?? 0 > 15)
        #expect(bob.strays.isEmpty, "\(bob.strays)")
    }

    @Test("STR-4 a closed stream is removed at once; its publisher's other streams continue")
    func closeStream() throws {
        let (room, ada, bob) = try Self.pair(seed: 4)
        try room.publish("screen", by: ada, audio: false)
        try room.subscribe(bob, to: "screen")
        try room.run(seconds: 1)
        #expect(bob.received["screen"]?.frames ?? 0 > 10)
        try room.call.control { try $0.closeStream(session: "room", stream: "camera") }
        #expect(try room.call.relay.streams(session: "room").map(\.name) == ["screen"])
        try room.run(seconds: 0.1)
        bob.forgetReceived()
        try room.run(seconds: 1)
        #expect(bob.received["camera"]?.packets == 0 && bob.received["screen"]?.frames ?? 0 > 15)
        #expect(throws: EngineError.unknownStream("camera")) {
            try room.call.control { try $0.closeStream(session: "room", stream: "camera") }
        }
    }

    @Test("SES-8 a limit on the received size holds from the first frame, beside a subscriber without a limit")
    func boundedFromTheStart() throws {
        let (room, _, bob) = try Self.pair(seed: 6, video: SyntheticVideo.Encoding.simulcast, rids: Self.rids)
        try room.run(seconds: 9)
        #expect(bob.received["camera"]?.encodings.contains(2) == true)
        let cai = room.join("Cai")
        try room.subscribe(cai, to: "camera", preferences: .init(maximumHeight: 360))
        try room.run(seconds: 6)
        let encodings = cai.received["camera"]?.encodings ?? []
        #expect(encodings.contains(1) && !encodings.contains(2), "\(encodings)")
        #expect(bob.received["camera"]?.encoding == 2)
    }

    @Test("STR-3 preferences choose encodings, temporal layers, audio and video without an offer")
    func preferences() throws {
        let (room, _, bob) = try Self.pair(
            seed: 5, video: SyntheticVideo.Encoding.simulcast, rids: Self.rids, temporalLayers: 2)
        try room.run(seconds: 6)
        let revision = try #require(bob.negotiation).openOffer?.revision
        func reception(_ preferences: StreamPreferences) throws -> (encoding: UInt8?, rate: Int, audioPackets: Int) {
            try room.prefer(bob, "camera", preferences)
            try room.run(seconds: 2)
            bob.forgetReceived()
            try room.run(seconds: 2)
            let received = bob.received["camera"]
            return (received?.encoding, (received?.frames ?? 0) / 2, (received?.audioPackets ?? 0) / 2)
        }
        #expect(try reception(.init()).encoding == 2)
        #expect(try reception(.init(height: 180)).encoding == 0)
        #expect(try reception(.init(height: 300)).encoding == 1)
        #expect(try reception(.init(width: 640)).encoding == 1)
        #expect(try reception(.init(width: 100, height: 720)).encoding == 2)
        // SES-8: a limit holds whatever size is requested; the smallest encoding that suffices is sent.
        #expect(try reception(.init(height: 300, maximumHeight: 300)).encoding == 0)
        #expect(try reception(.init(maximumHeight: 360)).encoding == 1)
        #expect(try reception(.init(height: 720, maximumWidth: 1_000)).encoding == 1)
        #expect(try reception(.init(maximumWidth: 1_280, maximumHeight: 100)).encoding == 0)
        let slow = try reception(.init(height: 180, frameRate: 10))
        #expect(slow.encoding == 0 && (9...11).contains(slow.rate), "\(slow)")
        let heard = try reception(.init(video: false))
        #expect(heard.encoding == nil && (49...51).contains(heard.audioPackets), "\(heard)")
        let seen = try reception(.init(audio: false))
        #expect(seen.encoding == 2 && seen.audioPackets == 0 && seen.rate >= 19, "\(seen)")
        let all = try reception(.init())
        #expect(all.rate >= 19 && all.audioPackets >= 49, "\(all)")
        #expect(bob.negotiation?.openOffer?.revision == revision && bob.strays.isEmpty)
    }

    @Test(
        "STR-3 on a path that is too narrow, audio and the preferred video continue; the events name the stream"
    )
    func priorities() async throws {
        let room = try VirtualSession(seed: 10)
        let ada = room.join("Ada")
        let bob = room.join("Bob")
        for stream in ["low", "high"] {
            try room.publish(stream, by: ada, video: [.init(width: 640, height: 360, bitrate: .kilobits(400))])
            try room.subscribe(bob, to: stream, preferences: .init(priority: stream == "high" ? 90 : 10))
        }
        try room.run(seconds: 2)
        var narrow = LinkConditions(delay: .milliseconds(10))
        narrow.rate = .kilobits(800)
        narrow.queue = 20_000
        bob.setDownlink(narrow)
        try room.run(seconds: 10)
        bob.forgetReceived()
        try room.run(seconds: 10)
        let high = try #require(bob.received["high"])
        let low = try #require(bob.received["low"])
        #expect(
            high.frames > 150 && high.audioPackets > 450 && low.audioPackets > 450,
            "\(high.frames) \(high.audioPackets) \(low.audioPackets)")
        #expect(low.frames < high.frames / 2, "\(low.frames)")
        room.call.relay.close()
        let subscriber = try #require(bob.subscriberID)
        var paused: Set<String> = []
        for await event in room.call.relay.events {
            guard case .trackPaused("room", subscriber, let stream, .video) = event else { continue }
            paused.insert(stream)
        }
        #expect(paused.contains("low"))
    }

    @Test("CON-4 ICE restarts of both peer connections while media flow")
    func restart() throws {
        let (room, ada, bob) = try Self.pair(seed: 6)
        for _ in 0..<3 {
            try ada.restartPublishing()
            try room.restartReceiving(of: bob)
            bob.forgetReceived()
            try room.run(seconds: 1)
            #expect(bob.received["camera"]?.audioPackets ?? 0 >= 48)
        }
        // Consent requires the new credentials.
        try room.run(seconds: 35)
        #expect(ada.publishEnd == nil && bob.receiveEnd == nil)
        #expect(room.call.relay.counters.peersLostConsent == 0 && bob.strays.isEmpty)
    }

    @Test("CON-3 a lost subscribe peer connection is replaced by a new offer, and all media returns")
    func reset() async throws {
        let (room, ada, bob) = try Self.pair(seed: 7)
        let lost = try #require(bob.subscriberID)
        bob.receiving.close(now: room.call.now)
        bob.drain()
        try room.run(seconds: 0.5)
        #expect(throws: EngineError.unknownTransport(lost.rawValue)) {
            try room.call.relay.peerStatistics(lost, session: "room")
        }
        try room.resetReceiving(of: bob)
        bob.forgetReceived()
        try room.run(seconds: 1.5)
        #expect(bob.received["camera"]?.frames ?? 0 > 15 && bob.strays.isEmpty, "\(bob.strays)")
        ada.vanish()
        try room.run(seconds: 35)
        room.call.relay.close()
        var events: [StreamEvent] = []
        for await event in room.call.relay.events { events.append(event) }
        let publisher = try #require(ada.publisherID)
        #expect(events.contains(.peerGone(session: "room", transport: lost)))
        #expect(events.contains(.peerGone(session: "room", transport: publisher)))
        #expect(
            events.contains(
                .dimensions(session: "room", transport: publisher, stream: "camera", width: 320, height: 180)))
        for kind in [MediaKind.audio, .video] {
            #expect(
                events.count {
                    $0 == .mediaBegan(session: "room", transport: publisher, stream: "camera", kind: kind)
                } == 1)
        }
        #expect(events.first == .published(session: "room", transport: publisher, stream: "camera"))
    }

    @Test("Statistics of a peer: media in each direction and the estimate of its path")
    func statistics() throws {
        let (room, ada, bob) = try Self.pair(seed: 8)
        try room.run(seconds: 6)
        let sent = try room.call.relay.peerStatistics(try #require(ada.publisherID), session: "room")
        #expect(sent.published.map(\.kind) == [.audio, .video] && sent.subscribed.isEmpty)
        #expect(sent.published.allSatisfy { $0.stream == "camera" && $0.packets > 100 && $0.lost == 0 })
        let got = try room.call.relay.peerStatistics(try #require(bob.subscriberID), session: "room")
        #expect(got.published.isEmpty && got.subscribed.map(\.stream) == ["camera", "camera"])
        let video = try #require(got.subscribed.first { $0.kind == .video })
        #expect(video.height == 180 && video.isPaused == false && video.packets > 100)
        #expect((60_000...160_000).contains(video.bitrate.rawValue), "\(video.bitrate)")
        #expect(got.availableBitrate != nil && got.roundTrip.map { $0 < .milliseconds(60) } == true)
    }

    @Test("Invalid requests are refused with the matching error")
    func refusals() throws {
        let (room, ada, bob) = try Self.pair(seed: 9)
        let publisher = try #require(ada.publisherID)
        let subscriber = try #require(bob.subscriberID)
        let relay = room.call.relay
        var track = TrackDescription.offered(.video, encodings: [.init()])
        let description = PeerDescription(
            credentials: room.call.credentials(), fingerprints: [VirtualCall.clientIdentity.fingerprint],
            setup: .actpass)
        var sections = [
            PublishedSection(stream: "x", track: track), PublishedSection(stream: "x", track: track),
        ]
        #expect(throws: EngineError.self) {
            try relay.openPublisher(PublisherRequest(session: "room", peer: description, sections: sections))
        }
        track.mid = MID("7")!
        sections[1].track = track
        #expect(throws: EngineError.self) {
            try relay.openPublisher(PublisherRequest(session: "room", peer: description, sections: sections))
        }
        sections = [PublishedSection(stream: "camera", track: track)]
        #expect(throws: EngineError.streamExists("camera")) {
            try relay.openPublisher(PublisherRequest(session: "room", peer: description, sections: sections))
        }
        var stranger = description
        stranger.fingerprints = [VirtualCall.relayIdentity.fingerprint]
        #expect(throws: EngineError.self) {
            try relay.updatePublisher(publisher, session: "room", peer: stranger, sections: sections)
        }
        #expect(throws: EngineError.unknownTransport(subscriber.rawValue)) {
            try relay.updatePublisher(subscriber, session: "room", peer: description, sections: sections)
        }
        #expect(throws: EngineError.unknownTransport(publisher.rawValue)) {
            try relay.addTracks(publisher, session: "room", [])
        }
        #expect(throws: EngineError.self) {
            try relay.addTracks(
                subscriber, session: "room", [SubscriberTrack(stream: "camera", track: track, ssrc: SSRC(5))])
        }
        let taken = SubscriberTrack(stream: "later", track: track, ssrc: SSRC(5), rtxSSRC: SSRC(6))
        try relay.addTracks(subscriber, session: "room", [taken])
        track.mid = MID("8")!
        #expect(throws: EngineError.ssrcInUse(6)) {
            try relay.addTracks(
                subscriber, session: "room", [SubscriberTrack(stream: "other", track: track, ssrc: SSRC(6))])
        }
        #expect(throws: EngineError.self) { try relay.addTracks(subscriber, session: "room", [taken]) }
        // An unanswered offer keeps its session until it is closed.
        let offer = try relay.openSubscriber(session: "empty")
        #expect(throws: EngineError.unknownTransport(offer.id.rawValue)) {
            try relay.connectSubscriber(offer.id, session: "room", peer: description)
        }
        #expect(relay.counters.sessions == 2)
        try relay.closeWebRTC(offer.id, session: "empty")
        #expect(relay.counters.sessions == 1)
    }
}
