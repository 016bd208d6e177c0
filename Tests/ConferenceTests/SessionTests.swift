import Conference
import MediaBase
import Signaling
import Testing

@Suite struct SessionTests {
    @Test("SES-1 the first join creates the session, later joins enter it")
    func firstJoin() throws {
        let world = try World()
        #expect(world.conference.isForgettable)
        let a = try world.join("a", .hostCapable)
        let b = try world.join("b")
        #expect(world.hooks.first == .sessionStarted)
        #expect(world.hooks.count { $0 == .sessionStarted } == 1)
        #expect(world.conference.users.map(\.id) == [a, b])
        #expect(world.names(a) == [.userJoined])
        #expect(world.names(b) == [])
        #expect(!world.conference.isForgettable)
        #expect(world.violations() == [])
    }

    @Test("SES-1 a session that was created in advance waits a limited time for its first join")
    func reservation() throws {
        let reservation = Reservation(password: "pass", expires: .seconds(300))
        let world = try World(reservation: reservation)
        #expect(!world.conference.isForgettable)
        #expect(world.conference.deadline == .seconds(300))
        #expect(code { try world.join() } == .passwordNeeded)
        try world.join(password: "pass")
        #expect(world.conference.deadline == .never)
        world.pass(.seconds(1_000))
        #expect(world.ended == nil)

        let unused = try World(reservation: reservation)
        unused.pass(.seconds(299))
        #expect(unused.ended == nil)
        unused.pass(.seconds(1))
        #expect(unused.ended == .sessionEnded)
        #expect(unused.hooks == [])
    }

    @Test("SES-1 a publisher without signalling that the media plane refuses does not use a reservation up")
    func refusedPublisher() throws {
        let world = try World(reservation: Reservation(expires: .seconds(300)))
        for _ in 0..<2 {
            let refused = try world.join("encoder", kind: .publisher, password: "plum")
            #expect(world.conference.hasPassword)
            let plan = try world.prepare([PublishRequest.Stream(name: "cam", audioMid: "0")], refused)
            world.carryOut(world.conference.cancelPublish(plan))
            world.media(.publisherLeft(refused, .left))
            #expect(world.ended == nil && world.conference.users.isEmpty && !world.conference.isForgettable)
            #expect(!world.conference.hasPassword && world.conference.deadline == .seconds(300))
        }
        let encoder = try world.join("encoder", kind: .publisher)
        try world.publish(encoder)
        #expect(world.conference.deadline == .never)
        world.media(.publisherLeft(encoder, .left))
        #expect(world.ended == .left)
        #expect(world.hooks.count { $0 == .sessionStarted } == 1 && world.hooks.last == .sessionEnded(.left))
        #expect(world.violations() == [])
    }

    @Test("SES-1 a reservation ends at its time if only refused publishers have joined")
    func refusedPublisherExpires() throws {
        let world = try World(reservation: Reservation(expires: .seconds(300)))
        let refused = try world.join("encoder", kind: .publisher)
        world.media(.publisherLeft(refused, .left))
        world.pass(.seconds(299))
        #expect(world.ended == nil)
        world.pass(.seconds(1))
        #expect(world.ended == .sessionEnded && world.hooks.last == .sessionEnded(.sessionEnded))
    }

    @Test(
        "SES-2 names have 1 to 150 letters, digits, symbols and spaces",
        arguments: [
            ("", false), (" ", true), ("Room 12 (blue) – ü", true), (String(repeating: "x", count: 150), true),
            (String(repeating: "x", count: 151), false), ("tab\there", false), ("nul\0", false), ("a\u{1F}b", false),
            ("zero\u{200B}width", false), (String(repeating: "\u{130}\u{301}", count: 150), false),
            ("a" + String(repeating: "\u{301}", count: 400), false), ("🙂🙃", true),
        ])
    func names(_ name: String, _ isAllowed: Bool) {
        let code = code { _ = try SessionKey(app: "app", name: name) }
        #expect(code == (isAllowed ? nil : .invalidSessionName))
    }

    @Test("SES-2 names are compared without case")
    func letterCase() throws {
        let key = try SessionKey(app: "app", name: "Team ÄRGER")
        #expect(key.name == "team ärger")
        #expect(try key == SessionKey(app: "app", name: "TEAM ärger"))
        #expect(try key != SessionKey(app: "App", name: "team ärger"))
    }

    @Test("SES-3 apps with the same session name have separate sessions")
    func apps() throws {
        var directory = SessionDirectory<String>()
        let red = try SessionKey(app: "red", name: "Room")
        let blue = try SessionKey(app: "blue", name: "room")
        let first = try directory.enter(red, newID: SessionID(rawValue: "1")) { "room of \($0)" }
        let second = try directory.enter(blue, newID: SessionID(rawValue: "2")) { "room of \($0)" }
        #expect(first.liveSession == "room of 1" && second.liveSession == "room of 2")
        #expect(directory.entries(of: "red").map(\.id.rawValue) == ["1"])
        #expect(directory.entries(of: "green").isEmpty)
        func engineName(_ key: SessionKey) -> String { key.engineName(standard: "standard") }
        #expect(engineName(red) != engineName(blue))
        // The engine's names also differ if a name resembles that of another app's session.
        let plain = try SessionKey(app: "standard", name: "room")
        #expect(engineName(plain) == "room")
        #expect(Set([red, blue, plain].map(engineName)).count == 3)
        #expect(code { _ = try SessionKey(app: "standard", name: "red\u{1F}room") } == .invalidSessionName)
    }

    @Test("SES-4 the first join sets the password, later joins need it and may try again")
    func password() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable, password: "open 4~!")
        #expect(world.conference.hasPassword)
        world.forgetEvents()
        let before = world.conference.users
        #expect(code { try world.join() } == .passwordNeeded)
        #expect(code { try world.join(password: "") } == .passwordNeeded)
        for guess in ["open", "open 4~", "OPEN 4~!", "open 4~!!"] {
            #expect(code { try world.join(password: guess) } == .passwordWrong)
        }
        // A join that was refused or cancelled leaves no trace.
        #expect(world.conference.users == before)
        #expect(world.newEvents(host) == [])
        try world.join(password: "open 4~!")
        try world.join("whip", kind: .publisher, isTrusted: true)
        #expect(world.violations() == [])
    }

    @Test(
        "SES-4 a password is at most 10 printable ASCII characters",
        arguments: [
            ("0123456789", nil), ("0123456789a", ErrorCode.passwordInvalid), (" ~", nil), ("\u{1F}", .passwordInvalid),
            ("\u{7F}", .passwordInvalid), ("pä", .passwordInvalid), ("line\n", .passwordInvalid),
        ] as [(String, ErrorCode?)])
    func passwordRule(_ password: String, _ expected: ErrorCode?) throws {
        let world = try World()
        #expect(code { try world.join(password: password) } == expected)
        if expected != nil { #expect(world.conference.isForgettable) }
    }

    @Test("SES-4 a password in a later join to an open session does not set one")
    func lateSetting() throws {
        let world = try World()
        try world.join()
        try world.join(password: "late")
        #expect(!world.conference.hasPassword)
        try world.join()
    }

    @Test("SES-5 the session ends when the last participant leaves, and refuses joins afterwards")
    func lastLeaves() throws {
        let world = try World()
        let a = try world.join("a", .hostCapable)
        let b = try world.join("b")
        try world.request(LeaveRequest(), a)
        #expect(world.ended == nil)
        try world.request(LeaveRequest(), b)
        #expect(world.ended == .left)
        #expect(world.hooks.last == .sessionEnded(.left))
        #expect(world.events(b).last == .disconnected(Disconnected(reason: .left)))
        #expect(code { try world.join() } == .sessionEnded)
        #expect(code { try world.request(PingRequest(), a) } == .sessionEnded)
        #expect(code { try world.admin(.end) } == .sessionEnded)
        #expect(world.conference.end(.relayShutdown) == [])
        #expect(world.violations() == [])
    }

    @Test(
        "SES-5 remaining participants are told the reason for the end of the session",
        arguments: [DisconnectReason.sessionEnded, .relayShutdown])
    func ends(_ reason: DisconnectReason) throws {
        let world = try World()
        let a = try world.join("a", .hostCapable)
        let b = try world.join("b")
        let whip = try world.join("whip", kind: .publisher)
        try world.publish(b)
        try world.publish(whip)
        world.forgetEvents()
        if reason == .sessionEnded { try world.admin(.end) } else { world.carryOut(world.conference.end(reason)) }
        for id in [a, b] { #expect(world.newEvents(id) == [.disconnected(Disconnected(reason: reason))]) }
        #expect(world.closed == [a: reason, b: reason, whip: reason])
        #expect(world.ended == reason)
        let left = world.hooks.filter { if case .participantLeft(_, reason) = $0 { true } else { false } }
        #expect(left.count == 3)
        #expect(world.violations() == [])
    }

    @Test("SES-5 the name is free again, for a new session with a new id")
    func nameIsFree() throws {
        var directory = SessionDirectory<Int>()
        let key = try SessionKey(app: "app", name: "room")
        let first = try directory.enter(key, newID: SessionID(rawValue: "1")) { _ in 1 }
        #expect(try directory.enter(key, newID: SessionID(rawValue: "2")) { _ in 2 }.id == first.id)
        try directory.seat(ConnectionID(rawValue: "c"), in: first, resumeKey: "secret")
        directory.remove(first.id)
        #expect(directory[key] == nil && directory[first.id] == nil && directory.seatCount == 0)
        #expect(code { _ = try directory.seat(resumeKey: "secret") } == .resumeExpired)
        #expect(code { try directory.seat(ConnectionID(rawValue: "d"), in: first, resumeKey: "x") } == .sessionEnded)
        let second = try directory.enter(key, newID: SessionID(rawValue: "3")) { _ in 3 }
        // The removal of the older session comes late.
        directory.remove(first.id)
        #expect(directory[key]?.id == second.id)
    }

    @Test("SES-6 only the host ends the session for all")
    func endForAll() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let manager = try world.join("manager", .all)
        let moderator = try world.join("moderator", .moderator)
        try world.request(SetManagerRequest(user: manager, isManager: true), host)
        for id in [manager, moderator] {
            #expect(code { try world.request(LeaveRequest(endForAll: true), id) } == .notPermitted)
            #expect(world.conference.user(id) != nil)
        }
        try world.request(LeaveRequest(endForAll: true), host)
        #expect(world.ended == .sessionEnded)
        for id in [host, manager, moderator] {
            #expect(world.events(id).last == .disconnected(Disconnected(reason: .sessionEnded)))
        }
        #expect(world.violations() == [])
    }

    @Test("SES-7 the join answer has the current state of the session")
    func joinAnswer() throws {
        let world = try World(name: "the room")
        let a = try world.join("a", .all)
        let stream = try world.publish(a)
        try world.request(ForceMuteAllRequest(), a)
        try world.request(LockShareRequest(isLocked: true), a)
        let admission = Admission(
            connection: ConnectionID(rawValue: "late"), resumeToken: "secret", name: "late", identity: "id-7",
            data: "data", capabilities: .subscriber)
        let join = try world.conference.join(admission, now: world.now, wallClock: 7).get()
        let answer = join.answer
        #expect(answer.session == world.conference.id && answer.sessionName == "the room")
        #expect(answer.connection == admission.connection && answer.resumeToken == "secret")
        #expect(answer.graceSeconds == 30)
        #expect(answer.capabilities == .subscriber)
        #expect(answer.users == world.conference.users)
        #expect(answer.users.map(\.id) == [a, admission.connection])
        #expect(answer.users[1].identity == "id-7" && answer.users[1].data == "data" && answer.users[1].joinedAt == 7)
        #expect(answer.streams.map(\.id) == [stream])
        #expect(answer.streams[0].isAudioMuted)
        #expect(answer.isMuteForced && answer.isShareLocked)
    }

    @Test("limits of participants, streams and subscriptions name their configuration key")
    func limits() throws {
        var limits = ConferenceLimits()
        limits.participants = 3
        limits.streams = 2
        limits.subscriptions = 1
        let world = try World(limits: limits)
        let a = try world.join()
        let b = try world.join()
        try world.join()
        #expect(throws: SignalingError.self) { try world.join() }
        let first = try world.publish(a)
        let second = try world.publish(b)
        // A new offer replaces the stream that it leaves out.
        let third = try world.prepare([.camera], a)
        world.carryOut(world.conference.cancelPublish(third))
        #expect(code { try world.publish(a, .screen, keeping: [first]) } == .limitReached)
        try world.request(SubscribeRequest(stream: first), b)
        #expect(code { try world.request(SubscribeRequest(stream: second), b) } == .limitReached)
        do throws(SignalingError) { try world.join() } catch { #expect(error.limit == "limit.participants") }
    }
}

extension PublishRequest.Stream {
    static let camera = PublishRequest.Stream(name: "camera", audioMid: "0", videoMid: "1")
    static let screen = PublishRequest.Stream(name: "screen", videoType: .screen, videoMid: "2")
}
