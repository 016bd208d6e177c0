import Conference
import MediaBase
import Signaling
import Testing

@Suite struct SubsessionTests {
    @Test("SUB-3 users move themselves once subsessions are started; no one can move another user")
    func choose() throws {
        let stage = try SubsessionStage(isStarted: false)
        let world = stage.world
        let user = stage.users[0]
        #expect(code { try stage.join(user, stage.one) } == .subsessionsState)
        #expect(code { try stage.comeBack(user) } == .notInSubsession)
        try world.request(StartSubsessionsRequest(), stage.host)
        #expect(code { try stage.join(user, SubsessionID(rawValue: "none")) } == .unknownSubsession)
        try stage.join(user, stage.one)
        #expect(world.conference.location(of: user) == .subsession(stage.one))
        try stage.join(user, stage.one)
        try stage.join(user, stage.two)
        #expect(world.conference.subsessionList.map(\.users) == [[], [user]])
        try stage.comeBack(user)
        #expect(world.conference.location(of: user) == .mainSession)
        // No request names another user, and publishers without signalling cannot move.
        let publisher = try world.join("camera", kind: .publisher)
        #expect(code { try stage.join(publisher, stage.one) } == .notPermitted)
        #expect(world.violations() == [])
    }

    @Test("SUB-3 media stops at a move before any event is sent, and resumes without a new offer when both meet again")
    func hearing() throws {
        let stage = try SubsessionStage()
        let (world, a, b) = (stage.world, stage.users[0], stage.users[1])
        let stream = try world.publish(a)
        try world.request(SubscribeRequest(stream: stream), b)
        world.forgetEvents()
        try stage.join(a, stage.one)
        #expect(world.lastEffects.first == .media(.relocate([a], .subsession(stage.one))))
        #expect(
            world.newEvents(b) == [.subscriptionChanged(SubscriptionChanged(stream: stream, state: .suspended))])
        try stage.join(b, stage.two)
        #expect(world.newEvents(b) == [])
        try stage.join(b, stage.one)
        #expect(world.lastEffects.first == .media(.relocate([b], .subsession(stage.one))))
        let resumed = Event.subscriptionChanged(SubscriptionChanged(stream: stream, state: .resumed))
        #expect(world.newEvents(b) == [resumed])
        #expect(!world.lastEffects.contains(.media(.subscribe(b, stream, SubscriptionPreferences()))))
        #expect(world.conference.subscriptions(of: b).map(\.stream) == [stream])
        #expect(world.violations() == [])
    }

    @Test(
        "SUB-3 a subscription to a stream of another subsession reaches the media plane when both meet, as last updated"
    )
    func unheard() throws {
        let stage = try SubsessionStage()
        let (world, a, b) = (stage.world, stage.users[0], stage.users[1])
        let stream = try world.publish(a)
        try stage.join(a, stage.one)
        world.forgetEvents()
        try world.request(SubscribeRequest(stream: stream), b)
        #expect(
            world.newEvents(b) == [.subscriptionChanged(SubscriptionChanged(stream: stream, state: .suspended))])
        #expect(world.plane.legs.isEmpty)
        let wish = SubscriptionPreferences(video: false, priority: 7)
        try world.request(UpdateSubscriptionRequest(stream: stream, preferences: wish), b)
        #expect(world.plane.legs.isEmpty)
        try stage.join(b, stage.one)
        #expect(world.plane.legs == [.init(connection: b, stream: stream): wish])
        #expect(world.violations() == [])
        // Ending a subscription that was never active sends no command to the media plane.
        try stage.comeBack(b)
        try world.request(SubscribeRequest(stream: stream), stage.users[2])
        try world.request(UnsubscribeRequest(stream: stream), stage.users[2])
        #expect(world.lastEffects == [])
        #expect(world.violations() == [])
    }

    @Test("SUB-3 stop moves all participants back at once, and the list can be started again")
    func stop() throws {
        let stage = try SubsessionStage()
        let world = stage.world
        let streams = try stage.users.map { try world.publish($0) }
        for user in stage.users {
            for stream in streams where world.conference.stream(stream)?.connection != user {
                try world.request(SubscribeRequest(stream: stream), user)
            }
        }
        for (index, user) in stage.users.enumerated() { try stage.join(user, index == 0 ? stage.one : stage.two) }
        world.forgetEvents()
        try world.request(StopSubsessionsRequest(), stage.host)
        let events = world.newEvents(stage.users[0])
        #expect(subsessionChanges(events) == [.stopping, .stopped])
        let statuses: [SubsessionStatus] = events.compactMap {
            if case .subsessionsChanged(let body) = $0 { body.state.status } else { nil }
        }
        #expect(statuses == [.stopping, .committed])
        #expect(
            events.count { if case .subscriptionChanged(let body) = $0 { body.state == .resumed } else { false } } == 2)
        #expect(world.conference.subsessionList.allSatisfy { $0.users.isEmpty })
        // No events for single users are sent.
        world.pass(.seconds(1))
        #expect(!world.names(stage.host).contains(.subsessionUsersChanged))
        #expect(world.violations() == [])
        try world.request(StartSubsessionsRequest(), stage.host)
        try stage.join(stage.users[0], stage.one)
        #expect(world.violations() == [])
    }

    @Test("SUB-3 moves are limited by a rate; a refused move changes neither the location nor the subscriptions")
    func moveRate() throws {
        let stage = try SubsessionStage()
        let (world, user) = (stage.world, stage.users[0])
        for index in 0..<world.conference.limits.movesPerSecond {
            try stage.join(user, index.isMultiple(of: 2) ? stage.one : stage.two)
        }
        let location = world.conference.location(of: user)
        #expect(code { try stage.comeBack(user) } == .rateLimited)
        #expect(world.conference.location(of: user) == location)
        #expect(world.lastEffects == [])
        world.pass(.seconds(1))
        try stage.comeBack(user)
        #expect(world.violations() == [])
    }

    // MARK: lists

    @Test("SUB-4 moves within 100 ms share an event that names each user once; joins and leaves send none")
    func lists() throws {
        let stage = try SubsessionStage()
        let (world, users) = (stage.world, stage.users)
        try stage.join(users[0], stage.one)
        #expect(world.conference.deadline == .milliseconds(100))
        world.pass(.milliseconds(60))
        try stage.join(users[1], stage.one)
        try stage.join(users[0], stage.two)
        try stage.join(users[2], stage.two)
        try stage.comeBack(users[2])
        #expect(!world.names(stage.host).contains(.subsessionUsersChanged))
        world.pass(.milliseconds(40))
        let moves = [
            SubsessionMove(user: users[0], to: stage.two), SubsessionMove(user: users[1], to: stage.one),
            SubsessionMove(user: users[2]),
        ]
        for id in users + [stage.host, stage.manager] {
            #expect(
                world.newEvents(id).filter { $0.name == .subsessionUsersChanged }
                    == [.subsessionUsersChanged(SubsessionUsersChanged(changes: moves))])
        }
        #expect(world.conference.deadline == .never)
        #expect(world.violations() == [])
        // The event does not name a user who leaves the session within that time.
        try stage.join(users[0], stage.one)
        try world.request(LeaveRequest(), users[0])
        world.pass(.milliseconds(100))
        #expect(!world.names(stage.host).contains(.subsessionUsersChanged))
        #expect(world.violations() == [])
    }

    @Test(
        "SUB-4 a client that joins between a move and the move back, before either is announced, learns all locations")
    func joinedBetween() throws {
        let stage = try SubsessionStage()
        try stage.join(stage.users[0], stage.one)
        let late = try stage.world.join("late")
        #expect(stage.world.clients[late]?.subsessions.subsessions[0].users == [stage.users[0]])
        try stage.comeBack(stage.users[0])
        stage.world.pass(.milliseconds(100))
        #expect(stage.world.violations() == [])
    }

    @Test("SUB-4 hundreds of moves are announced by events that fit into an outbox")
    func manyMoves() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let users = try (0..<600).map { try world.join("u\($0)") }
        try world.request(CommitSubsessionsRequest(names: ["a"]), host)
        try world.request(StartSubsessionsRequest(), host)
        world.forgetEvents()
        let room = world.conference.subsessionList[0].id
        for user in users {
            _ = world.conference.request(
                JoinSubsessionRequest(subsession: room), from: user, now: .zero, wallClock: 0)
        }
        let events = world.conference.handleTimeout(now: .milliseconds(100))
        let counts = events.compactMap { effect -> Int? in
            guard case .broadcast(let audience, .subsessionUsersChanged(let body)) = effect else { return nil }
            return Array(audience).count == 601 ? body.changes.count : nil
        }
        #expect(counts == [500, 100])
    }

    // MARK: clients that leave or are lost

    @Test("SUB-3 CON-3 a lost client stays in its subsession, and gets the events that it missed")
    func lost() throws {
        let stage = try SubsessionStage()
        let (world, user) = (stage.world, stage.users[0])
        try stage.join(user, stage.one)
        world.pass(.milliseconds(100))
        world.deliverAll()
        world.drop(user)
        try stage.join(stage.users[1], stage.one)
        world.pass(.seconds(10))
        #expect(world.conference.location(of: user) == .subsession(stage.one))
        try world.resume(user)
        #expect(world.violations() == [])
        world.drop(user)
        try world.request(StopSubsessionsRequest(), stage.host)
        world.pass(.seconds(10))
        try world.resume(user)
        #expect(world.conference.location(of: user) == .mainSession)
        #expect(world.violations() == [])
        try world.request(StartSubsessionsRequest(), stage.host)
        try stage.join(user, stage.one)
        world.drop(user)
        world.pass(.seconds(60))
        #expect(world.conference.subsessionList[0].users == [])
        #expect(world.violations() == [])
    }

    @Test("SUB-2 if the host leaves from a subsession, its role passes on and the subsessions continue")
    func hostLeaves() throws {
        let stage = try SubsessionStage()
        let world = stage.world
        try stage.join(stage.host, stage.one)
        try stage.join(stage.users[0], stage.one)
        try world.request(LeaveRequest(), stage.host)
        #expect(world.conference.host == stage.manager)
        #expect(world.conference.subsessionList[0].users == [stage.users[0]])
        #expect(world.conference.subsessionStatus == .started)
        world.pass(.milliseconds(100))
        #expect(world.violations() == [])
        try world.request(RemoveUserRequest(user: stage.users[0]), stage.manager)
        #expect(world.conference.subsessionList[0].users == [])
        try world.request(StopSubsessionsRequest(), stage.manager)
        try world.request(LeaveRequest(endForAll: true), stage.manager)
        #expect(world.ended == .sessionEnded)
        #expect(world.violations() == [])
    }

    @Test("SUB-3 MUT-1 mutes, signals and the share lock apply across subsessions")
    func sessionWide() throws {
        let stage = try SubsessionStage()
        let (world, a, b) = (stage.world, stage.users[0], stage.users[1])
        let moderator = try world.join("moderator", .moderator)
        let stream = try world.publish(a)
        let screen = try world.publish(b, .screen)
        try stage.join(a, stage.one)
        try stage.join(b, stage.two)
        world.forgetEvents()
        try world.request(ForceMuteAllRequest(), moderator)
        #expect(world.conference.stream(stream)?.isAudioMuted == true)
        #expect(world.names(b).contains(.muteForced))
        try world.request(SignalRequest(type: "t", to: a), b)
        #expect(world.newEvents(a).last == .signal(SignalReceived(from: b, type: "t", data: "")))
        try world.request(LockShareRequest(isLocked: true), stage.host)
        #expect(world.conference.stream(screen) == nil)
        #expect(world.violations() == [])
    }

    // MARK: speakers

    @Test("SUB-3 the active speaker is announced to the participants of its location only")
    func speakers() throws {
        let stage = try SubsessionStage()
        let (world, users) = (stage.world, stage.users)
        let streams = try users.map { try world.publish($0) }
        try stage.join(users[0], stage.one)
        try stage.join(users[1], stage.one)
        world.media(.activeSpeaker(streams[2]))
        world.forgetEvents()
        world.media(.activeSpeaker(streams[0], in: .subsession(stage.one)))
        let speaks = Event.activeSpeaker(ActiveSpeaker(stream: streams[0]))
        #expect(world.newEvents(users[0]) == [speaks])
        #expect(world.newEvents(users[1]) == [speaks])
        for id in [users[2], stage.host] { #expect(world.newEvents(id) == []) }
        // Speaker reports from the media plane are ignored if the speaker has moved since.
        world.media(.activeSpeaker(streams[0], in: .subsession(stage.two)))
        world.media(.activeSpeaker(streams[1]))
        #expect(world.newEvents(stage.host) == [.activeSpeaker(ActiveSpeaker(stream: nil))])
        world.media(.activeSpeaker(streams[2]))
        world.forgetEvents()
        // A participant that moves is told the speaker of its new location; an active speaker that moves is no longer the speaker.
        try stage.comeBack(users[0])
        #expect(world.newEvents(users[0]) == [.activeSpeaker(ActiveSpeaker(stream: streams[2]))])
        #expect(world.newEvents(users[1]) == [.activeSpeaker(ActiveSpeaker(stream: nil))])
        world.media(.activeSpeaker(streams[1], in: .subsession(stage.one)))
        world.forgetEvents()
        try world.request(StopSubsessionsRequest(), stage.host)
        #expect(world.newEvents(users[1]).contains(.activeSpeaker(ActiveSpeaker(stream: streams[2]))))
        #expect(world.violations() == [])
    }
}
