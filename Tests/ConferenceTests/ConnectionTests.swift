import Conference
import MediaBase
import Signaling
import Testing

@Suite struct ConnectionTests {
    @Test("CON-2 each client learns of all others, including those that joined before it")
    func created() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let c = try world.join()
        #expect(world.clients[c]?.users.map(\.id) == [a, b, c])
        #expect(world.names(a) == [.userJoined, .userJoined])
        try world.request(LeaveRequest(), b)
        #expect(world.events(a).last == .userLeft(UserLeft(user: b, reason: .left)))
        #expect(world.violations() == [])
    }

    @Test("CON-3 a lost client is dropped, not removed, and gets its state back when it resumes")
    func resume() throws {
        let world = try World()
        let a = try world.join("a", .hostCapable)
        let b = try world.join("b")
        let own = try world.publish(a)
        let other = try world.publish(b)
        try world.request(SubscribeRequest(stream: other), a)
        try world.request(SubscribeRequest(stream: own), b)
        world.forgetEvents()
        world.now = .seconds(100)
        world.drop(a)
        #expect(world.conference.deadline == .seconds(130))
        #expect(
            world.newEvents(b).map(\.name) == [.userDropped, .streamChanged, .subscriptionChanged])
        #expect(world.conference.stream(own)?.isDropped == true)
        #expect(!world.lastEffects.contains { if case .media = $0 { true } else { false } })
        // Events that the lost client misses.
        try world.request(SignalRequest(type: "missed", data: "1"), b)
        try world.request(SetMutedRequest(stream: other, kind: .audio, isMuted: true), b)
        world.pass(.seconds(29))
        try world.resume(a)
        #expect(world.conference.deadline == .never)
        #expect(world.conference.host == a)
        #expect(world.newEvents(b).suffix(3).map(\.name) == [.userDropped, .streamChanged, .subscriptionChanged])
        #expect(world.newEvents(a).contains(.signal(SignalReceived(from: b, type: "missed", data: "1"))))
        #expect(world.conference.subscriptions(of: a).map(\.stream) == [other])
        world.pass(.seconds(100))
        #expect(world.conference.user(a)?.isConnected == true)
        #expect(world.violations() == [])
    }

    @Test("CON-3 a lost client is removed once, after the grace time", arguments: [1.0, 30.0, 600.0])
    func expired(_ grace: Double) throws {
        var limits = ConferenceLimits()
        limits.graceTime = .seconds(grace)
        let world = try World(limits: limits)
        let a = try world.join("a", .hostCapable)
        let b = try world.join("b", .hostCapable)
        let stream = try world.publish(a)
        world.drop(a)
        world.forgetEvents()
        world.pass(.seconds(grace) - .nanoseconds(1))
        #expect(world.newEvents(b) == [])
        world.pass(.nanoseconds(1))
        #expect(
            world.newEvents(b).filter { ![.userChanged, .subsessionRoleChanged].contains($0.name) } == [
                .streamDestroyed(StreamDestroyed(stream: stream, reason: .networkLost)),
                .userLeft(UserLeft(user: a, reason: .networkLost)), .hostChanged(HostChanged(host: b)),
            ])
        world.pass(.seconds(grace))
        #expect(world.newEvents(b) == [])
        #expect(code { try world.resume(a) } == .resumeExpired)
        #expect(world.violations() == [])
    }

    @Test("CON-3 a resume after the grace time is refused even if no timer has fired")
    func late() throws {
        let world = try World()
        let a = try world.join()
        try world.join()
        world.drop(a)
        world.now += .seconds(30)
        #expect(code { try world.resume(a) } == .resumeExpired)
        world.pass(.zero)
        #expect(world.violations() == [])
    }

    @Test("CON-3 a session of lost users lives until the last grace time is over")
    func onlyLost() throws {
        let world = try World()
        let a = try world.join("a", .hostCapable)
        let b = try world.join("b")
        world.drop(a)
        world.pass(.seconds(10))
        world.drop(b)
        world.pass(.seconds(20))
        #expect(world.conference.users.map(\.id) == [b])
        #expect(world.ended == nil)
        world.pass(.seconds(10))
        #expect(world.ended == .networkLost)
        #expect(world.conference.deadline == .never)
        #expect(world.violations() == [])
    }

    @Test("CON-3 repeated losses and repeated resumes have no further effect")
    func twice() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        world.forgetEvents()
        world.drop(a)
        world.drop(a)
        try world.resume(a)
        try world.resume(a)
        #expect(world.newEvents(b).map(\.name) == [.userDropped, .userDropped])
        // 100 s later the client resumes on a new socket before the loss of the old one is noticed.
        world.pass(.seconds(100))
        #expect(code { try world.resume(a) } == nil)
        let whip = try world.join("whip", kind: .publisher)
        #expect(world.conference.drop(whip, now: world.now) == [])
        #expect(code { try world.resume(whip) } == .resumeExpired)
        #expect(world.conference.drop(ConnectionID(rawValue: "none"), now: world.now) == [])
        #expect(world.violations() == [])
    }

    @Test("CON-3 a client whose media was reset is told to publish and subscribe again")
    func mediaReset() throws {
        let world = try World()
        let a = try world.join()
        let b = try world.join()
        let own = try world.publish(a)
        let other = try world.publish(b)
        try world.request(SubscribeRequest(stream: other), a)
        world.forgetEvents()
        world.media(.reset(a, publish: true, subscribe: true))
        #expect(world.newEvents(a).last == .mediaReset(MediaReset(publish: true, subscribe: true)))
        #expect(world.newEvents(b).first == .streamDestroyed(StreamDestroyed(stream: own, reason: .reset)))
        try world.publish(a)
        try world.request(SubscribeRequest(stream: other), a)
        #expect(world.violations() == [])
    }

    @Test(
        "CON-5 a connection that the relay ends is told the reason",
        arguments: [DisconnectReason.slowConsumer, .protocolViolation, .tokenExpired])
    func disconnected(_ reason: DisconnectReason) throws {
        let world = try World()
        let a = try world.join(token: "token")
        let b = try world.join()
        try world.publish(a)
        world.carryOut(world.conference.disconnect(a, reason: reason, now: world.now))
        #expect(world.events(a).last == .disconnected(Disconnected(reason: reason)))
        #expect(world.events(b).last == .userLeft(UserLeft(user: a, reason: reason)))
        #expect(world.conference.disconnect(a, reason: reason, now: world.now) == [])
        // The user was not removed, so its token stays valid.
        try world.join(token: "token")
        #expect(world.violations() == [])
    }

    @Test("CON-6 a draining relay announces it and refuses new participants")
    func drain() throws {
        let world = try World()
        let a = try world.join()
        try world.admin(.drain(Draining(seconds: 60, url: "wss://other")))
        #expect(world.events(a).last == .draining(Draining(seconds: 60, url: "wss://other")))
        var directory = SessionDirectory<Int>()
        let key = try SessionKey(app: "a", name: "b")
        let entry = try directory.enter(key, newID: SessionID(rawValue: "1")) { _ in 1 }
        try directory.seat(a, in: entry, resumeKey: "secret")
        directory.isDraining = true
        #expect(code { _ = try directory.enter(key, newID: SessionID(rawValue: "2")) { _ in 2 } } == .draining)
        // Existing participants can resume.
        #expect(try directory.seat(resumeKey: "secret").connection == a)
    }

    @Test("publishers without signalling have no role, get no events, and leave when their media ends")
    func plainPublishers() throws {
        let world = try World()
        let whip = try world.join("whip", .all, kind: .publisher)
        #expect(world.conference.host == nil)
        let stream = try world.publish(whip)
        let a = try world.join("a", .hostCapable)
        #expect(world.conference.host == a)
        #expect(code { try world.request(MakeHostRequest(user: whip), a) } == .notPermitted)
        world.forgetEvents()
        world.media(.publisherLeft(whip, .networkLost))
        #expect(
            world.newEvents(a) == [
                .streamDestroyed(StreamDestroyed(stream: stream, reason: .networkLost)),
                .userLeft(UserLeft(user: whip, reason: .networkLost)),
            ])
        world.media(.publisherLeft(a, .networkLost))
        #expect(world.conference.user(a) != nil)
        let other = try world.join("whip", kind: .publisher)
        let ended = try world.publish(other)
        world.forgetEvents()
        try world.admin(.unpublish(ended))
        #expect(
            world.newEvents(a) == [
                .streamDestroyed(StreamDestroyed(stream: ended, reason: .forced)),
                .userLeft(UserLeft(user: other, reason: .removed)),
            ])
        let last = try world.join("whip", kind: .publisher)
        try world.request(LeaveRequest(), a)
        #expect(world.ended == nil)
        world.media(.publisherLeft(last, .left))
        #expect(world.ended == .left)
        #expect(world.violations() == [])
    }
}
