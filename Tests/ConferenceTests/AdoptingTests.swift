import Conference
import MediaBase
import MillraceTestKit
import Signaling
import Testing

@Suite("CLU-3: streams that continue after the loss of their session's home relay")
struct AdoptingTests {
    private func restored(_ conference: Conference) -> Conference {
        Conference(
            restoring: conference.essence, seats: conference.users.compactMap { conference.seat(of: $0.id) },
            id: conference.id, app: conference.app, name: conference.name, limits: conference.limits, now: .zero)
    }

    private func survivor(_ id: StreamID, muted: Set<TrackKind> = []) -> SurvivingStream {
        SurvivingStream(id: id, hasAudio: true, hasVideo: true, muted: muted)
    }

    @Test("a stream keeps its id, name and owner, and the mutes that the store or its relay has")
    func adopted() throws {
        let world = try World()
        let host = try world.join("host", .all)
        let user = try world.join("user")
        let camera = try world.publish(user)
        let before = try #require(world.conference.stream(camera))
        try world.request(ForceMuteStreamRequest(stream: camera), host)

        var again = restored(world.conference)
        #expect(again.streams.isEmpty)
        #expect(again.mayAdopt([survivor(camera)], of: user, now: .zero))
        let effects = again.adopt([survivor(camera, muted: [.video])], of: user, now: .zero)
        let after = try #require(again.stream(camera))
        #expect(after.name == before.name && after.connection == user && after.videoType == before.videoType)
        #expect(after.createdAt == before.createdAt && after.isDropped)
        #expect(after.isAudioMuted && after.isVideoMuted)
        for kind in TrackKind.allCases { #expect(effects.contains(.media(.setMuted(camera, kind, true)))) }
        let isTold = effects.contains { if case .hook = $0 { true } else { false } }
        #expect(!isTold, "the previous home relay has sent the webhook")
        #expect(again.seat(of: user)?.mutes.count == 2)

        _ = try again.resume(user, now: .zero).get()
        let unmute = SetMutedRequest(stream: camera, kind: .audio, isMuted: false)
        _ = again.request(unmute, from: user, now: .zero, wallClock: 0)
        #expect(again.stream(camera)?.isAudioMuted == false)
        // It publishes no second camera.
        let second = PublishRequest.Stream(name: "second", audioMid: "0", videoMid: "1")
        let plan = try again.preparePublish([second], from: user, newIDs: [StreamID(rawValue: "n")]).get()
        #expect(plan.removed == [camera])
    }

    @Test("streams that the store does not have as they are, and those of clients that have resumed, do not continue")
    func refused() throws {
        let world = try World()
        let user = try world.join("user", .all)
        let camera = try world.publish(user)
        var again = restored(world.conference)
        func mayAdopt(_ streams: [SurvivingStream], of id: ConnectionID) -> Bool {
            again.mayAdopt(streams, of: id, now: .zero)
        }
        #expect(!mayAdopt([], of: user))
        #expect(!mayAdopt([survivor(camera), survivor(StreamID(rawValue: "other"))], of: user))
        #expect(!mayAdopt([survivor(StreamID(rawValue: "other"))], of: user))
        #expect(!mayAdopt([survivor(camera)], of: ConnectionID(rawValue: "unknown")))
        let audio = SurvivingStream(id: camera, hasAudio: true, hasVideo: false, muted: [])
        #expect(!mayAdopt([audio], of: user))
        #expect(!again.mayAdopt([survivor(camera)], of: user, now: again.limits.graceTime))
        _ = try again.resume(user, now: .zero).get()
        #expect(!mayAdopt([survivor(camera)], of: user))
        #expect(again.seat(of: user)?.streams == nil)
    }

    @Test("MUT-1 USR-7 forced mutes and the share lock hold for streams that continue later")
    func moderated() throws {
        let world = try World()
        let host = try world.join("host", .all)
        let user = try world.join("user")
        let camera = try world.publish(user)
        let screen = try world.publish(user, .screen, keeping: [camera])
        var again = restored(world.conference)
        func request(_ body: some RequestBody) {
            _ = again.request(body, from: host, now: .zero, wallClock: 0)
        }
        _ = try again.resume(host, now: .zero).get()
        request(ForceMuteAllRequest(excluding: [screen]))
        #expect(again.seat(of: user)?.mutes == [Seat.Mute(videoType: .camera, kind: .audio)])
        request(DisableForceMuteRequest())
        request(LockShareRequest(isLocked: true))
        let effects = again.adopt([survivor(camera), survivor(screen)], of: user, now: .zero)
        #expect(again.stream(camera)?.isAudioMuted == true && again.stream(camera)?.isVideoMuted == false)
        #expect(effects.contains(.media(.setMuted(camera, .audio, true))))
        #expect(again.stream(screen) == nil && effects.contains(.media(.unpublish(screen))))
    }

    @Test("streams continue in the order in which they were announced, whatever the order of their relays' answers")
    func order() throws {
        let world = try World()
        let users = try ["a", "b", "c"].map { try world.join($0, .all) }
        var cameras: [StreamID] = []
        for user in users {
            cameras.append(try world.publish(user))
            world.now = world.now + .seconds(1)
        }
        let before = world.conference.streams
        var again = restored(world.conference)
        for index in [2, 0, 1] { _ = again.adopt([survivor(cameras[index])], of: users[index], now: .zero) }
        #expect(again.streams.map(\.id) == before.map(\.id))
        #expect(again.users.map(\.audio) == world.conference.users.map(\.audio))
        // A client that never resumes leaves with its stream.
        let effects = again.handleTimeout(now: again.limits.graceTime)
        #expect(again.streams.isEmpty && !effects.isEmpty)
    }

    @Test("subscriptions to streams that continue are restored, and the others end")
    func subscriptions() throws {
        let world = try World()
        let (user, host) = (try world.join("user"), try world.join("host", .all))
        let camera = try world.publish(user)
        var again = restored(world.conference)
        _ = again.adopt([survivor(camera)], of: user, now: .zero)
        let (gone, unknown) = (StreamID(rawValue: "gone"), StreamID(rawValue: "unknown"))
        let low = SubscriptionPreferences(height: 90)
        let effects = again.adoptSubscriptions(
            [(camera, low), (gone, low), (unknown, nil)], of: host, now: .zero)
        let expected: [Effect] = [gone, unknown].map { .media(.unsubscribe(host, $0)) }
        #expect(effects == expected)
        #expect(again.subscriptions(of: host).map(\.stream) == [camera])
        #expect(again.subscriptions(of: host).map(\.preferences) == [low])
        // Preferences that no relay would have taken.
        var other = restored(world.conference)
        _ = other.adopt([survivor(camera)], of: user, now: .zero)
        let refused = other.adoptSubscriptions(
            [(camera, SubscriptionPreferences(height: -1))], of: host, now: .zero)
        #expect(refused == [.media(.unsubscribe(host, camera))])

        // They follow the rules as those of `subscribe` do.
        _ = try again.resume(host, now: .zero).get()
        _ = try again.resume(user, now: .zero).get()
        let told = again.retellSubscriptions(of: host, now: .zero)
        let states = told.compactMap { effect -> SubscriptionChanged.State? in
            guard case .send(host, .subscriptionChanged(let change)) = effect else { return nil }
            return change.state
        }
        #expect(states == [.resumed, .videoEnabled])
        let update = UpdateSubscriptionRequest(stream: camera, preferences: SubscriptionPreferences(height: 91))
        let updated = again.request(update, from: host, now: .zero, wallClock: 0)
        #expect(updated.effects.contains(.media(.updateSubscription(host, camera, update.preferences))))
        let ended = again.media(.unpublished(camera, .reset), now: .zero, wallClock: 0)
        #expect(again.subscriptions(of: host).isEmpty)
        #expect(ended.contains(.media(.unsubscribe(host, camera))))
    }

    @Test("whether other relays have had media is stored, and assumed if an earlier version has stored the state")
    func spread() throws {
        let world = try World()
        try world.join("user", .all)
        #expect(!restored(world.conference).isSpread)
        world.conference.isSpread = true
        #expect(restored(world.conference).isSpread)
        var essence = world.conference.essence
        essence.isSpread = nil
        let again = Conference(
            restoring: essence, seats: [], id: world.conference.id, app: "app", name: "room",
            limits: world.conference.limits, now: .zero)
        #expect(again.isSpread)
    }
}
