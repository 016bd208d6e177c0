import Conference
import MediaBase
import Signaling
import Testing

@Suite struct SubsessionListTests {
    // MARK: the list

    @Test("SUB-1 the host commits a list, all are told and can read it, and the host withdraws it")
    func commit() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let user = try world.join("user")
        world.forgetEvents()
        let body = try #require(try world.request(CommitSubsessionsRequest(names: ["B", "a"]), host))
        #expect(body.subsessions.map(\.name) == ["B", "a"])
        #expect(Set(body.subsessions.map(\.id)).count == 2)
        var state = SubsessionsState(status: .committed, subsessions: body.subsessions, isManager: true)
        #expect(
            world.newEvents(host) == [.subsessionsChanged(SubsessionsChanged(change: .committed, state: state))])
        state.isManager = false
        #expect(
            world.newEvents(user) == [.subsessionsChanged(SubsessionsChanged(change: .committed, state: state))])
        #expect(try world.request(SubsessionsRequest(), user) == state)
        // Later join answers contain the list.
        #expect(world.clients[try world.join("late")]?.subsessions == state)
        // Another list replaces it, with new ids.
        try world.request(CommitSubsessionsRequest(names: ["a"]), host)
        #expect(!body.subsessions.map(\.id).contains(world.conference.subsessionList[0].id))
        try world.request(WithdrawSubsessionsRequest(), host)
        #expect(subsessionChanges(world.newEvents(user)) == [.committed, .withdrawn])
        #expect(try world.request(SubsessionsRequest(), user) == SubsessionsState())
        #expect(world.violations() == [])
    }

    @Test(
        "SUB-1 an invalid list is refused",
        arguments: [
            ([], .invalidField), ([""], .invalidField), (["a", "A"], .invalidField), (["a\n"], .invalidField),
            ([String(repeating: "x", count: 151)], .invalidField), ((0..<51).map { "\($0)" }, .limitReached),
            ((0..<50).map { "\($0)" }, nil), ([String(repeating: "x", count: 150)], nil),
        ] as [([String], ErrorCode?)])
    func names(_ names: [String], _ expected: ErrorCode?) throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let other = try world.join("other")
        world.forgetEvents()
        #expect(
            code { try world.request(CommitSubsessionsRequest(names: names), host) } == expected)
        #expect(subsessionChanges(world.newEvents(host)) == [expected == nil ? .committed : .commitFailed])
        #expect(subsessionChanges(world.newEvents(other)) == (expected == nil ? [.committed] : []))
        #expect(world.conference.subsessionList.map(\.name) == (expected == nil ? names : []))
        #expect(world.violations() == [])
    }

    @Test("SUB-1 the four failures are sent to the requester only")
    func failures() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let other = try world.join("other", .hostCapable)
        world.forgetEvents()
        func attempt(
            _ request: any RequestBody, _ sender: ConnectionID, _ expected: ErrorCode, _ change: SubsessionsChange
        )
            throws
        {
            #expect(code { try world.request(request, sender) } == expected)
            // A requester without the permission gets no failure event.
            #expect(subsessionChanges(world.newEvents(sender)) == (expected == .notPermitted ? [] : [change]))
            #expect(world.newEvents(sender == host ? other : host) == [])
        }
        let commit = CommitSubsessionsRequest(names: ["a"])
        let withdraw = WithdrawSubsessionsRequest()
        let start = StartSubsessionsRequest()
        let stop = StopSubsessionsRequest()
        try attempt(withdraw, host, .subsessionsState, .withdrawFailed)
        try attempt(start, host, .subsessionsState, .startFailed)
        try attempt(stop, host, .subsessionsState, .stopFailed)
        try attempt(commit, other, .notPermitted, .commitFailed)
        try world.request(commit, host)
        world.forgetEvents()
        try attempt(withdraw, other, .notPermitted, .withdrawFailed)
        try attempt(start, other, .notPermitted, .startFailed)
        try attempt(stop, host, .subsessionsState, .stopFailed)
        try world.request(start, host)
        world.forgetEvents()
        try attempt(commit, host, .subsessionsState, .commitFailed)
        try attempt(withdraw, host, .subsessionsState, .withdrawFailed)
        try attempt(start, host, .subsessionsState, .startFailed)
        try attempt(stop, other, .notPermitted, .stopFailed)
        #expect(world.violations() == [])
    }

    // MARK: managers

    @Test("SUB-2 the host and managers start and stop subsessions, and are told when they gain or lose the role")
    func roles() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let other = try world.join("other", .hostCapable)
        func roles(_ id: ConnectionID) -> [Bool] {
            world.newEvents(id).compactMap {
                if case .subsessionRoleChanged(let body) = $0 { body.isManager } else { nil }
            }
        }
        #expect(world.clients[host]?.subsessions.isManager == true)
        #expect(world.clients[other]?.subsessions.isManager == false)
        try world.request(CommitSubsessionsRequest(names: ["a"]), host)
        try world.request(SetManagerRequest(user: other, isManager: true), host)
        #expect(roles(other) == [true])
        try world.request(StartSubsessionsRequest(), other)
        try world.request(StopSubsessionsRequest(), other)
        #expect(subsessionChanges(world.newEvents(host)) == [.committed, .started, .stopping, .stopped])
        try world.request(SetManagerRequest(user: other, isManager: false), host)
        #expect(roles(other) == [false])
        #expect(code { try world.request(StartSubsessionsRequest(), other) } == .notPermitted)
        // The host role is handed over, and inherited.
        try world.request(MakeHostRequest(user: other), host)
        #expect(roles(other) == [true])
        #expect(roles(host) == [false])
        try world.request(LeaveRequest(), other)
        #expect(roles(host) == [true])
        #expect(world.violations() == [])
    }

    @Test("SUB-2 a broadcast is sent from the main session and reaches all participants of subsessions")
    func broadcast() throws {
        let stage = try SubsessionStage()
        let world = stage.world
        try stage.join(stage.users[0], stage.one)
        try stage.join(stage.users[1], stage.two)
        world.forgetEvents()
        let text = BroadcastRequest(text: "five minutes")
        try world.request(text, stage.manager)
        let event = Event.broadcast(BroadcastReceived(from: stage.manager, text: "five minutes"))
        #expect(world.newEvents(stage.users[0]) == [event])
        #expect(world.newEvents(stage.users[1]) == [event])
        for id in [stage.host, stage.manager, stage.users[2]] { #expect(world.newEvents(id) == []) }
        #expect(code { try world.request(text, stage.users[2]) } == .notPermitted)
        #expect(
            code {
                try world.request(BroadcastRequest(text: String(repeating: "x", count: 8_193)), stage.host)
            }
                == .textTooLong)
        try stage.join(stage.manager, stage.one)
        #expect(code { try world.request(text, stage.manager) } == .subsessionsState)
        try world.request(StopSubsessionsRequest(), stage.host)
        #expect(code { try world.request(text, stage.host) } == .subsessionsState)
        #expect(world.violations() == [])
    }

    @Test("SUB-1 requests for the list are limited by a rate")
    func listRate() throws {
        let stage = try SubsessionStage()
        let list = SubsessionsRequest()
        for _ in 0..<stage.world.conference.limits.movesPerSecond { try stage.world.request(list, stage.users[0]) }
        #expect(code { try stage.world.request(list, stage.users[0]) } == .rateLimited)
        // The limit affects neither other participants nor moves.
        try stage.world.request(list, stage.users[1])
        try stage.join(stage.users[0], stage.one)
        stage.world.pass(.seconds(1))
        try stage.world.request(list, stage.users[0])
    }

    @Test("SUB-2 broadcasts are limited by a rate")
    func broadcastRate() throws {
        let stage = try SubsessionStage()
        let text = BroadcastRequest(text: "x")
        for _ in 0..<stage.world.conference.limits.broadcastsPerSecond { try stage.world.request(text, stage.host) }
        #expect(code { try stage.world.request(text, stage.host) } == .rateLimited)
        try stage.world.request(text, stage.manager)
        stage.world.pass(.seconds(1))
        try stage.world.request(text, stage.host)
    }
}
