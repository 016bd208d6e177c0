import Conference
import MediaBase
import Signaling
import Testing

@Suite struct UserTests {
    @Test("USR-1 a user's audio, video and share status follows its streams")
    func status() throws {
        let world = try World()
        let a = try world.join("a")
        let b = try world.join("b")
        func state() -> [MediaStatus]? {
            world.deliverAll()
            return world.clients[b]?.users.first { $0.id == a }.map { [$0.audio, $0.video, $0.share] }
        }
        #expect(state() == [.off, .off, .off])
        let camera = try world.publish(a)
        #expect(state() == [.on, .on, .off])
        let screen = try world.publish(a, .screen, keeping: [camera])
        #expect(state() == [.on, .on, .on])
        try world.request(SetMutedRequest(stream: camera, kind: .audio, isMuted: true), a)
        #expect(state() == [.on, .on, .on])
        try world.request(SetMutedRequest(stream: screen, kind: .audio, isMuted: true), a)
        try world.request(SetMutedRequest(stream: screen, kind: .video, isMuted: true), a)
        #expect(state() == [.muted, .on, .muted])
        try world.request(UnpublishRequest(stream: screen), a)
        #expect(state() == [.muted, .on, .off])
        world.media(.unpublished(camera, .reset))
        #expect(state() == [.off, .off, .off])
        #expect(world.violations() == [])
    }

    @Test(
        "USR-2 display names are cut at 200 characters",
        arguments: [
            ("", "null"), ("Ada", "Ada"), (" ", " "), (String(repeating: "x", count: 200), nil),
            (String(repeating: "🙂", count: 201), String(repeating: "🙂", count: 200)),
            (String(repeating: "x", count: 60_000), String(repeating: "x", count: 200)),
        ] as [(String, String?)])
    func displayName(_ given: String, _ kept: String?) throws {
        let world = try World()
        let a = try world.join(given)
        #expect(world.conference.user(a)?.name == kept ?? given)
        try world.request(RenameRequest(user: a, name: "other"), a)
        try world.request(RenameRequest(user: a, name: given), a)
        #expect(world.conference.user(a)?.name == kept ?? given)
        #expect(world.violations() == [])
    }

    @Test(
        "USR-2 a name with bidirectional or control characters is refused",
        arguments: ["\u{202E}adA", "A\u{2066}da", "A\nda"])
    func hiddenCharacters(_ name: String) throws {
        let world = try World()
        let a = try world.join("Ada")
        let joining = #expect(throws: SignalingError.self) { try world.join(name) }
        let renaming = #expect(throws: SignalingError.self) {
            try world.request(RenameRequest(user: a, name: name), a)
        }
        for error in [joining, renaming] { #expect(error?.code == .invalidField && error?.field == "name") }
        #expect(world.conference.user(a)?.name == "Ada" && world.conference.participantCount == 1)
        #expect(world.violations() == [])
    }

    @Test("USR-2 the bytes of a name with many combining marks are bounded")
    func combiningMarks() throws {
        let world = try World()
        let monster = "a" + String(repeating: "\u{301}", count: 20_000)
        let a = try world.join(String(repeating: monster, count: 2))
        #expect((world.conference.user(a)?.name.utf8.count ?? .max) <= 4_096)
    }

    @Test("USR-3 the first participant with the capability becomes host, and there is only one host")
    func firstHost() throws {
        let world = try World()
        let a = try world.join("a")
        #expect(world.conference.host == nil)
        let b = try world.join("b", .hostCapable)
        let c = try world.join("c", .hostCapable)
        #expect(world.conference.host == b)
        #expect(world.conference.users.map(\.role) == [.participant, .host, .participant])
        #expect(world.events(a).contains(.hostChanged(HostChanged(host: b))))
        #expect(!world.names(c).contains(.hostChanged))
        #expect(world.violations() == [])
    }

    @Test("USR-3 the host role passes to a manager first, else to the earliest participant with the capability")
    func succession() throws {
        let world = try World()
        let plain = try world.join("plain")
        let host = try world.join("host", .hostCapable)
        let second = try world.join("second", .hostCapable)
        let manager = try world.join("manager", .hostCapable)
        let last = try world.join("last", .hostCapable)
        try world.join("whip", .hostCapable, kind: .publisher)
        try world.request(SetManagerRequest(user: manager, isManager: true), host)
        var expected = [manager, second, last]
        for leaver in [host, manager, second] {
            try world.request(LeaveRequest(), leaver)
            let heir = expected.removeFirst()
            #expect(world.conference.host == heir)
            #expect(world.newEvents(plain).last == .hostChanged(HostChanged(host: heir)))
            #expect(world.violations() == [])
        }
        try world.request(LeaveRequest(), last)
        #expect(world.conference.host == nil)
        #expect(world.newEvents(plain).last == .hostChanged(HostChanged(host: nil)))
        let late = try world.join("late", .hostCapable)
        #expect(world.conference.host == late)
        #expect(world.violations() == [])
    }

    @Test("USR-3 a lost host keeps its role for the grace time; a lost client inherits last")
    func lostHost() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let lost = try world.join("lost", .hostCapable)
        let there = try world.join("there", .hostCapable)
        world.drop(host)
        #expect(world.conference.host == host)
        world.pass(.seconds(1))
        world.drop(lost)
        world.pass(.seconds(29))
        #expect(world.conference.host == there)
        try world.request(LeaveRequest(), there)
        #expect(world.violations() == [])
    }

    @Test("USR-4 the host makes another participant host, and makes and revokes managers")
    func hostPowers() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let able = try world.join("able", .hostCapable)
        let plain = try world.join("plain")
        try world.request(SetManagerRequest(user: able, isManager: true), host)
        #expect(world.conference.user(able)?.role == .manager)
        try world.request(SetManagerRequest(user: able, isManager: false), host)
        #expect(world.conference.user(able)?.role == .participant)
        #expect(
            code { try world.request(SetManagerRequest(user: host, isManager: false), host) }
                == .notPermitted)
        world.forgetEvents()
        try world.request(MakeHostRequest(user: able), host)
        #expect(world.conference.host == able)
        #expect(world.conference.user(host)?.role == .participant)
        #expect(world.newEvents(plain).map(\.name) == [.userChanged, .userChanged, .hostChanged])
        #expect(code { try world.request(MakeHostRequest(user: host), host) } == .notPermitted)
        #expect(world.violations() == [])
    }

    @Test("USR-5 USR-9 only the host removes a manager, whichever connection of the manager's token is named")
    func removalOfManager() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable, token: "host")
        let first = try world.join("first", .hostCapable, token: "first")
        let second = try world.join("second", .hostCapable, token: "second")
        let encoder = try world.join("second's encoder", kind: .publisher, token: "second")
        let moderator = try world.join("moderator", .moderator, token: "moderator")
        for user in [first, second] {
            try world.request(SetManagerRequest(user: user, isManager: true), host)
        }
        for (sender, target) in [(first, second), (second, first), (first, encoder), (moderator, first)] {
            #expect(code { try world.request(RemoveUserRequest(user: target), sender) } == .notPermitted)
        }
        #expect(world.closed.isEmpty)
        try world.request(RemoveUserRequest(user: first), host)
        try world.request(SetManagerRequest(user: second, isManager: false), host)
        try world.request(RemoveUserRequest(user: encoder), moderator)
        #expect(world.closed == [first: .removed, second: .removed, encoder: .removed])
        #expect(world.violations() == [])
    }

    @Test("USR-4 USR-5 the host and managers rename any user, others only themselves")
    func rename() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let manager = try world.join("manager", .hostCapable)
        let a = try world.join("a")
        let b = try world.join("b")
        try world.request(SetManagerRequest(user: manager, isManager: true), host)
        for (sender, target, expected) in [
            (host, a, nil), (manager, host, nil), (a, a, nil), (a, b, ErrorCode.notPermitted), (b, host, .notPermitted),
        ] as [(ConnectionID, ConnectionID, ErrorCode?)] {
            let name = world.fresh("name")
            #expect(code { try world.request(RenameRequest(user: target, name: name), sender) } == expected)
            #expect((world.conference.user(target)?.name == name) == (expected == nil))
        }
        let stranger = ConnectionID(rawValue: "stranger")
        #expect(code { try world.request(RenameRequest(user: stranger, name: "x"), host) } == .unknownUser)
        #expect(world.violations() == [])
    }

    @Test("USR-6 a removed user is told the reason, its streams end, and its token is revoked")
    func removal() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable, token: "host")
        let bad = try world.join("bad", token: "bad")
        let stream = try world.publish(bad)
        try world.request(SubscribeRequest(stream: stream), host)
        world.forgetEvents()
        try world.request(RemoveUserRequest(user: bad), host)
        #expect(world.newEvents(bad) == [.disconnected(Disconnected(reason: .removed))])
        #expect(world.closed[bad] == .removed)
        #expect(
            world.newEvents(host) == [
                .streamDestroyed(StreamDestroyed(stream: stream, reason: .forced)),
                .userLeft(UserLeft(user: bad, reason: .removed)),
            ])
        #expect(code { try world.join("bad", token: "bad") } == .tokenRevoked)
        #expect(code { try world.join("bad", kind: .publisher, token: "bad", isTrusted: true) } == .tokenRevoked)
        #expect(code { try world.request(PingRequest(), bad) } == .notJoined)
        #expect(world.conference.resume(bad, now: world.now) == .failure(SignalingError(.resumeExpired)))
        try world.join("good", token: "other")
        #expect(world.violations() == [])
    }

    @Test("USR-12 a removal ends every connection of the token: clients, lost clients, publishers without signalling")
    func removalOfAllConnections() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable, token: "host")
        let bad = try world.join("bad", token: "bad")
        let second = try world.join("bad too", token: "bad")
        let lost = try world.join("bad, lost", token: "bad")
        world.drop(lost)
        let encoder = try world.join("encoder", kind: .publisher, token: "bad")
        let cam = try world.publish(encoder)
        let other = try world.join("other", token: "other")
        let anonymous = try world.join("anonymous")
        try world.join("another without a token")
        world.forgetEvents()
        try world.request(RemoveUserRequest(user: bad), host)
        for id in [bad, second, lost, encoder] {
            #expect(world.closed[id] == .removed && world.conference.user(id) == nil)
        }
        #expect(world.conference.stream(cam) == nil)
        #expect(world.newEvents(second) == [.disconnected(Disconnected(reason: .removed))])
        #expect(
            world.newEvents(other) == [
                .userLeft(UserLeft(user: bad, reason: .removed)), .userLeft(UserLeft(user: second, reason: .removed)),
                .userLeft(UserLeft(user: lost, reason: .removed)),
                .streamDestroyed(StreamDestroyed(stream: cam, reason: .forced)),
                .userLeft(UserLeft(user: encoder, reason: .removed)),
            ])
        #expect(code { try world.resume(lost) } == .resumeExpired)
        // Connections without a token are removed one at a time.
        try world.request(RemoveUserRequest(user: anonymous), host)
        #expect(world.conference.users.map(\.name) == ["host", "other", "another without a token"])
        #expect(world.violations() == [])
    }

    @Test("USR-12 a connection that shares its token with the sender or with the host is not removed by users")
    func removalOfSharedToken() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable, token: "host")
        let hosts = try world.join("host's encoder", kind: .publisher, token: "host")
        let moderator = try world.join("moderator", .moderator, token: "moderator")
        let moderators = try world.join("moderator's encoder", kind: .publisher, token: "moderator")
        for (sender, target) in [(host, hosts), (moderator, hosts), (moderator, moderators)] {
            #expect(code { try world.request(RemoveUserRequest(user: target), sender) } == .notPermitted)
        }
        #expect(world.closed.isEmpty)
        // An operator may remove any user. The host is removed with all connections of its token, and its role ends.
        try world.admin(.remove(hosts))
        #expect(world.closed == [host: .removed, hosts: .removed] && world.conference.host == nil)
        #expect(world.violations() == [])
    }

    @Test("USR-6 a lost user can be removed and cannot resume")
    func removalOfLost() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let lost = try world.join("lost", token: "lost")
        world.drop(lost)
        try world.request(RemoveUserRequest(user: lost), host)
        #expect(world.conference.deadline == .never)
        #expect(code { try world.resume(lost) } == .resumeExpired)
        #expect(code { try world.join("lost", token: "lost") } == .tokenRevoked)
        #expect(world.violations() == [])
    }

    @Test("USR-6 the number of remembered revoked tokens is bounded")
    func revokedTokens() throws {
        var limits = ConferenceLimits()
        limits.revokedTokens = 3
        let world = try World(limits: limits)
        let host = try world.join("host", .hostCapable)
        for number in 0..<10 {
            let bad = try world.join("bad", token: "\(number)")
            try world.request(RemoveUserRequest(user: bad), host)
        }
        for number in 7..<10 { #expect(code { try world.join("bad", token: "\(number)") } == .tokenRevoked) }
        #expect(code { try world.join("bad", token: "6") } == nil)
    }

    @Test("USR-7 while sharing is locked only the host and managers share; shares of others stop")
    func shareLock() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let manager = try world.join("manager", .hostCapable)
        let a = try world.join("a")
        let b = try world.join("b")
        try world.request(SetManagerRequest(user: manager, isManager: true), host)
        let hosts = try world.publish(host, .screen)
        let managers = try world.publish(manager, .screen)
        let camera = try world.publish(a)
        let screen = try world.publish(a, .screen, keeping: [camera])
        // A screen stream that is being negotiated is stopped, too.
        let planned = try world.prepare([.screen], b)
        world.forgetEvents()
        try world.request(LockShareRequest(isLocked: true), manager)
        #expect(
            world.newEvents(a).prefix(2) == [
                .shareLockChanged(ShareLockChanged(isLocked: true)),
                .streamDestroyed(StreamDestroyed(stream: screen, reason: .forced)),
            ])
        #expect(world.conference.streams.map(\.id) == [hosts, managers, camera])
        world.confirm(planned)
        #expect(!world.plane.streams.contains(planned.streams[0].id))
        world.announce(planned)
        #expect(!world.plane.streams.contains(planned.streams[0].id))
        #expect(code { _ = try world.prepare([.screen], b) } == .shareLocked)
        #expect(code { try world.publish(b) } == nil)
        #expect(code { try world.request(LockShareRequest(isLocked: false), a) } == .notPermitted)
        // The share of a manager stops when the role is revoked.
        try world.request(SetManagerRequest(user: manager, isManager: false), host)
        #expect(world.conference.stream(managers) == nil)
        try world.request(LockShareRequest(isLocked: false), host)
        try world.publish(a, .screen, keeping: [camera])
        #expect(world.conference.stream(hosts) != nil)
        #expect(world.violations() == [])
    }

    @Test("USR-8 mute by a moderator is enforced; unmuting is requested, and done by the publisher")
    func mute() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let a = try world.join("a")
        let camera = try world.publish(a)
        let screen = try world.publish(a, .screen, keeping: [camera])
        world.forgetEvents()
        try world.request(MuteUserRequest(user: a), host)
        #expect(
            Array(world.lastEffects.filter { if case .media = $0 { true } else { false } }) == [
                .media(.setMuted(camera, .audio, true)), .media(.setMuted(screen, .audio, true)),
            ])
        #expect(world.conference.user(a)?.audio == .muted)
        let told = world.newEvents(a).filter { $0.name == .muteForced }
        #expect(
            told == [camera, screen].map { .muteForced(MuteForced(isActive: true, stream: $0, kind: .audio)) })
        #expect(!world.newEvents(host).contains { $0.name == .muteForced })

        try world.request(RequestUnmuteRequest(user: a), host)
        #expect(world.newEvents(a) == [.unmuteRequested(UnmuteRequested(from: host, kind: .audio))])
        #expect(world.conference.user(a)?.audio == .muted)
        let unmute = SetMutedRequest(stream: camera, kind: .audio, isMuted: false)
        #expect(code { try world.request(unmute, host) } == .notPermitted)
        #expect(code { try world.admin(.setMuted(camera, .audio, false)) } == .notPermitted)
        try world.request(unmute, a)
        #expect(world.lastEffects.first == .media(.setMuted(camera, .audio, false)))
        #expect(world.conference.user(a)?.audio == .on)
        #expect(world.violations() == [])
    }

    @Test("USR-8 a publisher without signalling can be muted like others, and unmuted by an operator")
    func muteOfWHIP() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let whip = try world.join("whip", kind: .publisher)
        let stream = try world.publish(whip)
        try world.request(MuteUserRequest(user: whip, kind: .video), host)
        #expect(world.conference.stream(stream)?.isVideoMuted == true)
        #expect(code { try world.request(RequestUnmuteRequest(user: whip), host) } == .notPermitted)
        try world.admin(.setMuted(stream, .video, false))
        #expect(world.conference.user(whip)?.video == .on)
        #expect(world.violations() == [])
    }

    @Test("USR-8 an operator mutes a stream before its first media; it starts muted, and its publisher is told")
    func muteOfWhatBegins() throws {
        let world = try World()
        let a = try world.join("a")
        let plan = try world.prepare([.camera], a)
        #expect(code { try world.admin(.setMuted(plan.streams[0].id, .audio, true)) } == .unknownStream)
        world.confirm(plan)
        world.forgetEvents()
        let id = plan.streams[0].id
        try world.admin(.setMuted(id, .audio, true))
        world.announce(plan)
        #expect(world.conference.stream(id)?.isAudioMuted == true)
        let told = world.newEvents(a).filter { $0.name == .muteForced }
        #expect(told == [.muteForced(MuteForced(isActive: true, stream: id, kind: .audio))])
        #expect(world.violations() == [])
    }
}
