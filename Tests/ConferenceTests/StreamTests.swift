import Conference
import MediaBase
import Signaling
import Testing

@Suite struct StreamTests {
    @Test("STR-1 a connection publishes at most one camera and one screen stream")
    func onePublisherEach() throws {
        let world = try World()
        let a = try world.join()
        #expect(code { _ = try world.prepare([.camera, .camera], a) } == .streamExists)
        let both = try world.prepare([.camera, .screen], a)
        // Streams that are being negotiated count.
        #expect(code { _ = try world.prepare([.camera], a) } == .streamExists)
        world.confirm(both)
        world.announce(both)
        #expect(world.conference.streams.map(\.videoType) == [.camera, .screen])
        let known = both.streams.map {
            PublishRequest.Stream(id: $0.id, name: $0.name, videoType: $0.videoType, audioMid: "0")
        }
        #expect(code { _ = try world.prepare(known + [.screen], a) } == .streamExists)
        #expect(code { _ = try world.prepare([known[0], known[0]], a) } == .unknownStream)
        #expect(world.violations() == [])
    }

    @Test("STR-1 the fields of a publish request are checked")
    func checks() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let other = try world.publish(b)
        let mine = try world.publish(a)
        func attempt(_ change: (inout PublishRequest.Stream) -> Void) -> ErrorCode? {
            var stream = PublishRequest.Stream.camera
            change(&stream)
            return code { _ = try world.prepare([stream], a) }
        }
        #expect(attempt { $0.name = String(repeating: "x", count: 151) } == .invalidStreamName)
        #expect(attempt { $0.name = "" } == .invalidStreamName)
        #expect(attempt { ($0.id, $0.name) = (mine, String(repeating: "x", count: 150)) } == nil)
        #expect(
            code { try world.request(UpdateStreamRequest(stream: mine, name: ""), a) }
                == .invalidStreamName)
        #expect(attempt { $0.name = "\u{7}" } == .invalidStreamName)
        #expect(attempt { ($0.audioMid, $0.videoMid) = (nil, nil) } == .invalidField)
        #expect(attempt { $0.audioMid = "" } == .invalidField)
        #expect(attempt { $0.audioMid = String(repeating: "1", count: 65) } == .invalidField)
        #expect(attempt { $0.width = -1 } == .invalidField)
        #expect(attempt { $0.height = .max } == .invalidField)
        #expect(attempt { $0.id = other } == .unknownStream)
        #expect(attempt { $0.id = StreamID(rawValue: "none") } == .unknownStream)
        #expect(attempt { ($0.id, $0.videoType) = (mine, .screen) } == .invalidField)
        #expect(code { _ = try world.prepare([.camera], a, ids: [other]) } == .streamExists)
        #expect(code { _ = try world.prepare([.camera], a, ids: []) } == .internalError)
        #expect(world.conference.streamCount == 2)
        #expect(world.violations() == [])
    }

    @Test("STR-1 a publication that fails leaves no trace")
    func cancelled() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let camera = try world.publish(a)
        world.forgetEvents()
        let plan = try world.prepare([.screen], a)
        #expect(plan.removed == [camera])
        world.carryOut(world.conference.cancelPublish(plan))
        #expect(world.newEvents(b) == [] && world.newEvents(a) == [])
        #expect(world.conference.stream(camera) != nil)
        world.announce(plan)
        #expect(world.conference.streams.map(\.id) == [camera])
        #expect(code { try world.publish(a, .screen, keeping: [camera]) } == nil)
        #expect(world.violations() == [])
    }

    @Test("STR-2 a stream is announced at its first media, with all of its attributes")
    func created() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let whip = try world.join("whip", kind: .publisher)
        world.forgetEvents()
        let plan = try world.prepare([.camera], a)
        world.confirm(plan)
        #expect(world.newEvents(b) == [] && world.conference.streams == [])
        world.now = .seconds(5)
        let id = plan.streams[0].id
        world.media(.published(a, id, hasAudio: true, hasVideo: false, width: 320, height: 240))
        let info = StreamInfo(
            id: id, connection: a, name: "camera", hasAudio: true, hasVideo: false, width: 320, height: 240,
            createdAt: world.wallClock)
        #expect(world.newEvents(b).first == .streamCreated(StreamCreated(stream: info)))
        #expect(world.newEvents(a).first == .streamCreated(StreamCreated(stream: info)))
        world.media(.published(a, id, hasAudio: true, hasVideo: true))
        #expect(world.newEvents(b) == [])
        let stream = try world.publish(whip)
        #expect(world.newEvents(b).first?.name == .streamCreated)
        #expect(world.hooks.suffix(1) == world.conference.stream(stream).map { [.streamPublished($0)] })
        #expect(world.violations() == [])
    }

    @Test("STR-2 a change is announced with the complete new state, and only if something changed")
    func changed() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let id = try world.publish(a)
        world.forgetEvents()
        world.media(.dimensions(id, width: 1_280, height: 720))
        world.media(.dimensions(id, width: 1_280, height: 720))
        world.media(.dimensions(id, width: 0, height: 0))
        try world.request(UpdateStreamRequest(stream: id, name: "new"), a)
        try world.request(UpdateStreamRequest(stream: id, name: "new"), a)
        #expect(world.newEvents(b).map(\.name) == [.streamChanged, .streamChanged])
        #expect(world.conference.stream(id)?.name == "new" && world.conference.stream(id)?.width == 1_280)
        let bad = UpdateStreamRequest(stream: id, name: "other", width: 100_000)
        #expect(code { try world.request(bad, a) } == .invalidField)
        #expect(world.conference.stream(id)?.name == "new")
        // A new offer of the same stream without its video.
        let plan = try world.prepare([PublishRequest.Stream(id: id, name: "new", audioMid: "0")], a)
        world.confirm(plan)
        #expect(world.newEvents(b).map(\.name) == [.streamChanged, .userChanged])
        #expect(world.conference.user(a)?.video == .off)
        #expect(world.violations() == [])
    }

    @Test("REC-1 all clients, including late joiners, are told that a stream is recorded, and of the recording's end")
    func recorded() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let plan = try world.prepare([.camera, .screen], a)
        world.confirm(plan)
        let (camera, screen) = (plan.streams[0].id, plan.streams[1].id)
        // The streams are not announced yet.
        world.media(.recorded(camera, true))
        #expect(world.conference.recordedStreams.isEmpty)
        world.announce(plan)
        world.forgetEvents()
        for id in [camera, camera, screen] { world.media(.recorded(id, true)) }
        world.media(.recorded(StreamID(rawValue: "none"), true))
        let started = [camera, screen].map { Event.recordingStarted(RecordingStarted(stream: $0)) }
        #expect(world.newEvents(a) == started && world.newEvents(b) == started)
        let late = try world.join()
        #expect(world.clients[late]?.recorded == [camera, screen])
        world.forgetEvents()
        world.media(.recorded(camera, false))
        #expect(world.newEvents(late) == [.recordingStopped(RecordingStopped(stream: camera))])
        world.forgetEvents()
        // The recording ends with its stream.
        world.media(.unpublished(screen, .networkLost))
        #expect(world.newEvents(late).map(\.name).prefix(2) == [.recordingStopped, .streamDestroyed])
        #expect(world.conference.recordedStreams.isEmpty && world.violations() == [])
    }

    @Test(
        "STR-2 the end of a stream is announced with its reason",
        arguments: [
            StreamEndReason.clientLeft, .unpublished, .forced, .networkLost, .reset,
        ])
    func destroyed(_ reason: StreamEndReason) throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join("b", .all)
        let id = try world.publish(a)
        try world.request(SubscribeRequest(stream: id), b)
        world.forgetEvents()
        switch reason {
        case .clientLeft: try world.request(LeaveRequest(), a)
        case .unpublished: try world.request(UnpublishRequest(stream: id), a)
        case .forced: try world.admin(.unpublish(id))
        case .networkLost:
            world.drop(a)
            world.pass(.seconds(30))
        case .reset: world.media(.reset(a, publish: true, subscribe: false))
        }
        let told = world.newEvents(b).filter { $0.name == .streamDestroyed }
        #expect(told == [.streamDestroyed(StreamDestroyed(stream: id, reason: reason))])
        #expect(world.conference.streams == [] && world.plane.legs == [:] && world.plane.streams == [])
        #expect(world.violations() == [])
    }

    @Test("STR-3 subscribing, preferences, and every way a subscription ends")
    func subscribe() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let id = try world.publish(a)
        world.forgetEvents()
        var wish = SubscriptionPreferences(width: 640, height: 360, frameRate: 15, priority: 100)
        try world.request(SubscribeRequest(stream: id, preferences: wish), b)
        #expect(world.lastEffects == [.media(.subscribe(b, id, wish))])
        #expect(code { try world.request(SubscribeRequest(stream: id), b) } == .alreadySubscribed)
        world.media(.subscribed(b, id))
        #expect(world.newEvents(b) == [.subscriptionChanged(SubscriptionChanged(stream: id, state: .connected))])
        wish.audio = false
        try world.request(UpdateSubscriptionRequest(stream: id, preferences: wish), b)
        #expect(world.lastEffects == [.media(.updateSubscription(b, id, wish))])
        for change: (inout SubscriptionPreferences) -> Void in [
            { $0.width = 0 }, { $0.height = 16_384 }, { $0.frameRate = -1 }, { $0.priority = 101 },
            { $0.priority = .min },
        ] {
            var bad = wish
            change(&bad)
            let request = UpdateSubscriptionRequest(stream: id, preferences: bad)
            #expect(code { try world.request(request, b) } == .invalidField)
        }
        try world.request(UnsubscribeRequest(stream: id), b)
        #expect(code { try world.request(UnsubscribeRequest(stream: id), b) } == .notSubscribed)
        let update = UpdateSubscriptionRequest(stream: id, preferences: wish)
        #expect(code { try world.request(update, b) } == .notSubscribed)
        try world.request(SubscribeRequest(stream: id), b)
        world.media(.subscriptionFailed(b, id))
        #expect(world.newEvents(b) == [.subscriptionChanged(SubscriptionChanged(stream: id, state: .failed))])
        // A participant can subscribe to its own stream.
        try world.request(SubscribeRequest(stream: id), a)
        #expect(world.violations() == [])
    }

    @Test("STR-3 the subscriber is told when video pauses and resumes, and the reason")
    func videoChanges() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let id = try world.publish(a)
        try world.request(SubscribeRequest(stream: id), b)
        world.forgetEvents()
        func told() -> [String] {
            world.newEvents(b).compactMap {
                guard case .subscriptionChanged(let body) = $0 else { return nil }
                return "\(body.state) \(body.reason.map { "\($0)" } ?? "")"
            }
        }
        func mute(_ isMuted: Bool) throws {
            try world.request(SetMutedRequest(stream: id, kind: .video, isMuted: isMuted), a)
        }
        func want(_ video: Bool) throws {
            let request = UpdateSubscriptionRequest(stream: id, preferences: SubscriptionPreferences(video: video))
            try world.request(request, b)
        }
        world.media(.videoPaused(b, id))
        #expect(told() == ["videoDisabled quality"])
        // The video was already muted, so no event follows.
        try mute(true)
        world.media(.videoResumed(b, id))
        #expect(told() == [])
        try mute(false)
        #expect(told() == ["videoEnabled publisher"])
        try want(false)
        #expect(told() == ["videoDisabled subscriber"])
        try want(true)
        #expect(told() == ["videoEnabled subscriber"])
        world.drop(a)
        try world.resume(a)
        #expect(told() == ["dropped ", "reconnected "])
        #expect(world.violations() == [])
    }

    @Test("STR-4 unpublishing stops forwarding first, and the publisher is told when it is complete")
    func unpublish() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let id = try world.publish(a)
        try world.request(SubscribeRequest(stream: id), b)
        world.forgetEvents()
        try world.request(UnpublishRequest(stream: id), a)
        #expect(world.lastEffects.first == .media(.unpublish(id)))
        #expect(world.lastEffects.contains(.media(.unsubscribe(b, id))))
        #expect(world.newEvents(a).first == .streamDestroyed(StreamDestroyed(stream: id, reason: .unpublished)))
        #expect(code { try world.request(UnpublishRequest(stream: id), a) } == .unknownStream)
        // A new offer without the stream unpublishes it, too.
        let camera = try world.publish(a)
        try world.publish(a, .screen)
        #expect(world.conference.stream(camera) == nil)
        #expect(world.conference.streamCount == 1)
        #expect(world.violations() == [])
    }

    @Test("STR-5 a stream of another session is unknown")
    func otherSession() throws {
        let red = try World(app: "red")
        let blue = try World(app: "blue")
        let a = try red.join()
        let id = try red.publish(a)
        let b = try blue.join("b", .all)
        #expect(code { try blue.request(SubscribeRequest(stream: id), b) } == .unknownStream)
        #expect(code { try blue.request(ForceMuteStreamRequest(stream: id), b) } == .unknownStream)
        #expect(code { try blue.request(UnpublishRequest(stream: id), b) } == .unknownStream)
        #expect(code { try blue.admin(.setMuted(id, .audio, true)) } == .unknownStream)
        #expect(code { try red.request(PingRequest(), ConnectionID(rawValue: "c9")) } == .notJoined)
        // A stream that is not announced yet is unknown, too.
        let plan = try blue.prepare([.camera], b)
        blue.confirm(plan)
        let c = try blue.join()
        #expect(
            code { try blue.request(SubscribeRequest(stream: plan.streams[0].id), c) } == .unknownStream)
        #expect(
            code { try blue.request(UnpublishRequest(stream: plan.streams[0].id), c) } == .unknownStream)
    }

    @Test("STR-6 leaving ends all publications and subscriptions")
    func leaving() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let mine = try world.publish(a)
        let screen = try world.publish(a, .screen, keeping: [mine])
        let other = try world.publish(b)
        try world.request(SubscribeRequest(stream: other), a)
        try world.request(SubscribeRequest(stream: mine), b)
        world.forgetEvents()
        try world.request(LeaveRequest(), a)
        #expect(
            world.newEvents(b) == [
                .streamDestroyed(StreamDestroyed(stream: mine, reason: .clientLeft)),
                .streamDestroyed(StreamDestroyed(stream: screen, reason: .clientLeft)),
                .userLeft(UserLeft(user: a, reason: .left)),
            ])
        #expect(world.newEvents(a) == [.disconnected(Disconnected(reason: .left))])
        #expect(world.lastEffects.contains(.media(.closeMedia(a))))
        #expect(world.conference.subscriptions(of: b).isEmpty)
        #expect(world.violations() == [])
    }

    @Test("a stream that is being negotiated ends when its publisher leaves")
    func leavingWhileNegotiating() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let plan = try world.prepare([.camera], a)
        try world.request(LeaveRequest(), a)
        world.confirm(plan)
        #expect(world.plane.streams == [])
        world.announce(plan)
        #expect(world.names(b) == [.userLeft])
        #expect(world.plane.streams == [] && world.conference.streams == [])
        #expect(world.violations() == [])
    }

    @Test("changes of the active speaker are announced, late joiners learn it, and it ends with the stream")
    func activeSpeaker() throws {
        let world = try World()
        let a = try world.join()
        let id = try world.publish(a)
        world.forgetEvents()
        world.media(.activeSpeaker(id))
        world.media(.activeSpeaker(id))
        #expect(world.newEvents(a) == [.activeSpeaker(ActiveSpeaker(stream: id))])
        let b = try world.join()
        #expect(world.newEvents(b) == [.activeSpeaker(ActiveSpeaker(stream: id))])
        world.media(.activeSpeaker(StreamID(rawValue: "none")))
        #expect(world.newEvents(b) == [.activeSpeaker(ActiveSpeaker(stream: nil))])
        world.media(.activeSpeaker(id))
        try world.request(UnpublishRequest(stream: id), a)
        #expect(world.newEvents(b).last == .activeSpeaker(ActiveSpeaker(stream: nil)))
        #expect(world.violations() == [])
    }
}
