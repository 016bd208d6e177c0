import Conference
import Signaling
import Testing

/// Each request is tried by each role, and compared with a table of permissions that is independent of the code.
@Suite struct PermissionTests {
    enum Who: String, CaseIterable { case host, manager, moderator, participant, subscriber, mute }

    struct Row: CustomStringConvertible, Sendable {
        let what: String
        let may: Set<Who>
        let request: @Sendable (_ sender: ConnectionID, _ world: World) -> (any RequestBody)?
        var description: String { what }
    }

    /// `mute` may publish but not subscribe.
    static let rows: [Row] = [
        Row(what: "rename another", may: [.host, .manager]) { RenameRequest(user: $1.victim, name: "x") },
        Row(what: "rename itself", may: Set(Who.allCases)) { s, _ in RenameRequest(user: s, name: "x") },
        Row(what: "mute another", may: [.host, .manager, .moderator]) { MuteUserRequest(user: $1.victim) },
        Row(what: "mute itself", may: Set(Who.allCases)) { s, _ in MuteUserRequest(user: s) },
        Row(what: "ask to unmute", may: [.host, .manager, .moderator]) {
            RequestUnmuteRequest(user: $1.victim)
        },
        Row(what: "make host", may: [.host]) { MakeHostRequest(user: $1.heir) },
        Row(what: "make manager", may: [.host]) { SetManagerRequest(user: $1.heir, isManager: true) },
        Row(what: "remove", may: [.host, .manager, .moderator]) { RemoveUserRequest(user: $1.victim) },
        Row(what: "remove the host", may: []) { _, world in
            world.conference.host.map { RemoveUserRequest(user: $0) }
        },
        Row(what: "remove itself", may: []) { s, _ in RemoveUserRequest(user: s) },
        Row(what: "lock sharing", may: [.host, .manager]) { _, _ in LockShareRequest(isLocked: true) },
        Row(what: "end the session", may: [.host]) { _, _ in LeaveRequest(endForAll: true) },
        Row(what: "leave", may: Set(Who.allCases)) { _, _ in LeaveRequest() },
        Row(what: "see the users", may: Set(Who.allCases)) { _, _ in UsersRequest() },
        Row(what: "signal", may: Set(Who.allCases)) { _, _ in SignalRequest(type: "t") },
        Row(what: "ping", may: Set(Who.allCases)) { _, _ in PingRequest() },
        Row(what: "statistics", may: Set(Who.allCases)) { _, _ in StatisticsRequest() },
        Row(what: "report", may: Set(Who.allCases)) { _, _ in ReportIssueRequest() },
        Row(what: "force mute all", may: [.moderator]) { _, _ in ForceMuteAllRequest() },
        Row(what: "force mute one", may: [.moderator]) { _, world in
            ForceMuteStreamRequest(stream: world.victimStream)
        },
        Row(what: "disable force mute", may: [.moderator]) { _, _ in DisableForceMuteRequest() },
        Row(what: "subscribe", may: Set(Who.allCases).subtracting([.mute])) { _, world in
            SubscribeRequest(stream: world.victimStream)
        },
        Row(what: "restart ICE", may: Set(Who.allCases).subtracting([.mute])) { _, _ in RestartICERequest()
        },
        Row(what: "answer", may: Set(Who.allCases).subtracting([.mute])) { _, _ in
            AnswerRequest(revision: 1, sdp: "")
        },
        Row(what: "see the subsessions", may: Set(Who.allCases)) { _, _ in SubsessionsRequest() },
        Row(what: "commit subsessions", may: [.host]) { _, _ in
            CommitSubsessionsRequest(names: ["a"])
        },
        Row(what: "chat", may: Set(Who.allCases)) { _, _ in ChatRequest(text: "t") },
        Row(what: "switch the chat off", may: [.host]) { _, _ in
            SetChatAllowedRequest(isAllowed: false)
        },
        Row(what: "start a live stream", may: [.host]) { _, world in
            StartPushRequest(to: "https://live.example/whip", stream: world.victimStream)
        },
        Row(what: "unpublish another's", may: []) { _, world in
            UnpublishRequest(stream: world.victimStream)
        },
        Row(what: "change another's stream", may: []) { _, world in
            UpdateStreamRequest(stream: world.victimStream, name: "x")
        },
        Row(what: "unmute another's", may: []) { _, world in
            SetMutedRequest(stream: world.victimStream, kind: .audio, isMuted: false)
        },
    ]

    @Test("TOK-3 USR-4 USR-5 MUT-4 every request is refused without its permission", arguments: rows)
    func table(_ row: Row) throws {
        for who in Who.allCases {
            let world = try World.populated()
            let sender = try #require(world.sender(who))
            let request = try #require(row.request(sender, world))
            let before = (world.conference.users, world.conference.streams, world.conference.isMuteForced)
            let code = code { try world.request(request, sender) }
            #expect(code == (row.may.contains(who) ? nil : .notPermitted), "\(row.what) by \(who)")
            if code != nil {
                #expect(before == (world.conference.users, world.conference.streams, world.conference.isMuteForced))
            }
            #expect(world.violations() == [])
        }
    }

    @Test("TOK-3 publishing needs canPublish", arguments: Who.allCases)
    func publish(_ who: Who) throws {
        let world = try World.populated()
        let sender = try #require(world.sender(who))
        #expect(code { _ = try world.prepare([.camera], sender) } == (who == .subscriber ? .notPermitted : nil))
    }

    @Test("every request of a connection that has not joined is refused")
    func stranger() throws {
        for row in Self.rows {
            let world = try World.populated()
            let stranger = ConnectionID(rawValue: "stranger")
            let request = try #require(row.request(stranger, world))
            #expect(code { try world.request(request, stranger) } == .notJoined, "\(row.what)")
            #expect(world.lastEffects == [])
        }
        let world = try World.populated()
        #expect(code { _ = try world.prepare([.camera], ConnectionID(rawValue: "stranger")) } == .notJoined)
    }

    @Test("join, resume and publish are refused as requests within a session")
    func wrongDoor() throws {
        let world = try World.populated()
        let sender = try #require(world.sender(.host))
        #expect(code { try world.request(JoinRequest(session: "x", name: "x"), sender) } == .alreadyJoined)
        #expect(
            code { try world.request(ResumeRequest(resumeToken: "", lastEvent: 0), sender) }
                == .malformedMessage)
        #expect(code { try world.request(PublishRequest(sdp: "", streams: []), sender) } == .malformedMessage)
    }
}

extension World {
    static func populated() throws -> World {
        let world = try World()
        try world.join("host", .hostCapable)
        let manager = try world.join("manager", .hostCapable)
        try world.join("moderator", .moderator)
        try world.join("participant")
        try world.join("subscriber", .subscriber)
        try world.join("mute", Capabilities(canPublish: true, canSubscribe: false))
        try world.join("heir", .hostCapable)
        let victim = try world.join("victim")
        try world.publish(victim)
        guard let host = world.conference.host else { return world }
        try world.request(SetManagerRequest(user: manager, isManager: true), host)
        world.lastEffects = []
        return world
    }

    func named(_ name: String) -> ConnectionID? { conference.users.first { $0.name == name }?.id }
    func sender(_ who: PermissionTests.Who) -> ConnectionID? { named(who.rawValue) }
    var victim: ConnectionID { named("victim") ?? ConnectionID(rawValue: "") }
    var heir: ConnectionID { named("heir") ?? ConnectionID(rawValue: "") }
    var victimStream: StreamID { conference.streams.first?.id ?? StreamID(rawValue: "") }
}
