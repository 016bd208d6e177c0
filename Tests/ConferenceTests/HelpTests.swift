import Conference
import MediaBase
import Signaling
import Testing

@Suite struct HelpTests {
    /// A host and a manager in the main session, two participants in a subsession.
    private struct Stage {
        let world: World
        let host: ConnectionID
        let manager: ConnectionID
        let users: [ConnectionID]
        let room: SubsessionID
        let other: SubsessionID

        init(limits: ConferenceLimits = ConferenceLimits()) throws {
            let world = try World(limits: limits)
            self.world = world
            host = try world.join("host", .hostCapable)
            manager = try world.join("manager", .hostCapable)
            users = try (0..<2).map { try world.join("user \($0)", .hostCapable) }
            try world.request(SetManagerRequest(user: manager, isManager: true), host)
            try world.request(CommitSubsessionsRequest(names: ["room", "other"]), host)
            try world.request(StartSubsessionsRequest(), host)
            (room, other) = (world.conference.subsessionList[0].id, world.conference.subsessionList[1].id)
            for user in users { try join(user) }
            world.pass(.milliseconds(100))
            world.forgetEvents()
        }

        func join(_ id: ConnectionID, _ subsession: SubsessionID? = nil) throws(SignalingError) {
            try world.request(JoinSubsessionRequest(subsession: subsession ?? room), id)
        }

        func ask(_ id: ConnectionID) throws -> HelpRequestID {
            guard let answer = try world.request(RequestHelpRequest(), id) else {
                throw SignalingError(.internalError)
            }
            return answer.request
        }

        func answer(_ request: HelpRequestID, _ isAccepted: Bool, _ id: ConnectionID) throws(SignalingError) {
            try world.request(AnswerHelpRequest(request: request, isAccepted: isAccepted), id)
        }

        func results(_ id: ConnectionID) -> [HelpResult] {
            world.newEvents(id).compactMap { if case .helpResult(let body) = $0 { body.result } else { nil } }
        }
    }

    @Test("SUB-5 managers get the request; the one that accepts moves there, and all involved are told")
    func accepted() throws {
        let stage = try Stage()
        let world = stage.world
        let request = try stage.ask(stage.users[0])
        let asked = Event.helpRequested(
            HelpRequested(
                request: request, user: stage.users[0], userName: "user 0", subsession: stage.room,
                subsessionName: "room"))
        #expect(world.newEvents(stage.host) == [asked])
        #expect(world.newEvents(stage.manager) == [asked])
        #expect(world.newEvents(stage.users[0]) == [])
        #expect(world.newEvents(stage.users[1]) == [])
        #expect(try stage.ask(stage.users[0]) == request)
        #expect(world.lastEffects == [])
        try stage.answer(request, true, stage.manager)
        #expect(world.conference.location(of: stage.manager) == .subsession(stage.room))
        #expect(stage.results(stage.users[0]) == [.idle])
        #expect(world.newEvents(stage.host) == [.helpEnded(HelpEnded(request: request))])
        #expect(code { try stage.answer(request, true, stage.host) } == .unknownHelpRequest)
        world.pass(.seconds(100))
        #expect(stage.results(stage.users[0]) == [])
        #expect(world.violations() == [])
    }

    @Test("SUB-5 a request is ignored if every manager ignores it or none answers in time")
    func ignored() throws {
        let stage = try Stage()
        let world = stage.world
        let first = try stage.ask(stage.users[0])
        try stage.answer(first, false, stage.host)
        #expect(stage.results(stage.users[0]) == [])
        #expect(code { try stage.answer(first, true, stage.host) } == .unknownHelpRequest)
        try stage.answer(first, false, stage.manager)
        #expect(stage.results(stage.users[0]) == [.ignored])
        let second = try stage.ask(stage.users[0])
        #expect(second != first)
        try stage.answer(second, false, stage.host)
        world.forgetEvents()
        world.pass(.seconds(59))
        #expect(stage.results(stage.users[0]) == [])
        world.pass(.seconds(1))
        #expect(stage.results(stage.users[0]) == [.ignored])
        #expect(world.newEvents(stage.manager) == [.helpEnded(HelpEnded(request: second))])
        #expect(world.newEvents(stage.host) == [])
        #expect(world.violations() == [])
    }

    @Test("SUB-5 the result is busy while no manager is in the main session, and above the limit of requests")
    func busy() throws {
        var limits = ConferenceLimits()
        limits.helpRequests = 1
        let stage = try Stage(limits: limits)
        let world = stage.world
        let first = try stage.ask(stage.users[0])
        _ = try stage.ask(stage.users[1])
        #expect(stage.results(stage.users[1]) == [.busy])
        try stage.answer(first, false, stage.host)
        try stage.answer(first, false, stage.manager)
        try stage.join(stage.host, stage.other)
        try stage.join(stage.manager, stage.other)
        world.forgetEvents()
        _ = try stage.ask(stage.users[0])
        #expect(stage.results(stage.users[0]) == [.busy])
        #expect(!world.names(stage.host).contains(.helpRequested))
        // A lost manager does not count as available.
        try world.request(ReturnToMainSessionRequest(), stage.host)
        world.drop(stage.host)
        _ = try stage.ask(stage.users[0])
        #expect(stage.results(stage.users[0]) == [.busy])
        #expect(world.violations() == [])
    }

    @Test("SUB-5 the result is hostAlreadyInSubsession if a manager was there before or moved there unasked")
    func alreadyThere() throws {
        let stage = try Stage()
        let world = stage.world
        let request = try stage.ask(stage.users[0])
        try stage.join(stage.host)
        #expect(stage.results(stage.users[0]) == [.hostAlreadyInSubsession])
        #expect(world.newEvents(stage.manager).contains(.helpEnded(HelpEnded(request: request))))
        _ = try stage.ask(stage.users[1])
        #expect(stage.results(stage.users[1]) == [.hostAlreadyInSubsession])
        // A manager that asks for help is in the subsession itself.
        _ = try stage.ask(stage.host)
        #expect(stage.results(stage.host) == [.hostAlreadyInSubsession])
        // A participant of the subsession becomes a manager while the request is open.
        try world.request(ReturnToMainSessionRequest(), stage.host)
        _ = try stage.ask(stage.users[0])
        try world.request(SetManagerRequest(user: stage.users[1], isManager: true), stage.host)
        #expect(stage.results(stage.users[0]) == [.hostAlreadyInSubsession])
        #expect(world.violations() == [])
    }

    @Test("SUB-5 a request ends when its sender moves or its subsession ends, with at most one result")
    func withdrawn() throws {
        let stage = try Stage()
        let world = stage.world
        let moved = try stage.ask(stage.users[0])
        try stage.join(stage.users[0], stage.other)
        #expect(stage.results(stage.users[0]) == [.ignored])
        #expect(world.newEvents(stage.host).contains(.helpEnded(HelpEnded(request: moved))))
        let left = try stage.ask(stage.users[1])
        world.forgetEvents()
        try world.request(LeaveRequest(), stage.users[1])
        #expect(world.newEvents(stage.host).contains(.helpEnded(HelpEnded(request: left))))
        let stopped = try stage.ask(stage.users[0])
        world.forgetEvents()
        try world.request(StopSubsessionsRequest(), stage.host)
        #expect(stage.results(stage.users[0]) == [.ignored])
        #expect(world.newEvents(stage.manager).first == .helpEnded(HelpEnded(request: stopped)))
        #expect(code { _ = try stage.ask(stage.users[0]) } == .notInSubsession)
        #expect(world.violations() == [])
    }

    @Test("SUB-5 managers who come to the main session get open requests; those who leave it are no longer waited for")
    func managers() throws {
        let stage = try Stage()
        let world = stage.world
        try stage.join(stage.manager, stage.other)
        let request = try stage.ask(stage.users[0])
        #expect(!world.names(stage.manager).contains(.helpRequested))
        world.forgetEvents()
        try world.request(ReturnToMainSessionRequest(), stage.manager)
        #expect(world.names(stage.manager).contains(.helpRequested))
        try stage.answer(request, false, stage.host)
        // A manager that leaves and returns does not get the request again.
        world.forgetEvents()
        try stage.join(stage.host, stage.other)
        try world.request(ReturnToMainSessionRequest(), stage.host)
        #expect(!world.names(stage.host).contains(.helpRequested))
        try world.request(SetManagerRequest(user: stage.manager, isManager: false), stage.host)
        #expect(stage.results(stage.users[0]) == [.ignored])
        #expect(code { try stage.answer(request, true, stage.manager) } == .notPermitted)
        #expect(world.violations() == [])
    }

    @Test("SUB-5 an answer to a request that the sender did not get is refused")
    func strangers() throws {
        let stage = try Stage()
        let request = try stage.ask(stage.users[0])
        #expect(code { try stage.answer(request, true, stage.users[1]) } == .notPermitted)
        #expect(code { try stage.answer(HelpRequestID(rawValue: "h9"), true, stage.host) } == .unknownHelpRequest)
        #expect(
            code { try stage.world.request(RequestHelpRequest(), stage.host) } == .notInSubsession)
        #expect(stage.world.violations() == [])
    }
}
