import Conference
import MediaBase
import Signaling
import Testing

/// State of a session for a client that is in it and has missed events.
@Suite struct SnapshotTests {
    /// Returns the snapshot of a client, after it has resumed, and the events that follow it.
    private func snapshot(_ world: World, _ id: ConnectionID) throws -> (answer: JoinAnswer, events: [Event]) {
        _ = try world.conference.resume(id, now: world.now).get()
        let made = world.conference.snapshot(for: id, resumeToken: "secret", now: world.now)
        let join = try #require(made)
        let events = join.effects.compactMap { effect -> Event? in
            switch effect {
            case .send(id, let event): event
            case .broadcast(let audience, let event): audience.contains(id) ? event : nil
            default: nil
            }
        }
        return (join.answer, events)
    }

    @Test("CON-3 a snapshot has the session as it is now, under the same connection, with the role kept")
    func state() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable, identity: "h")
        let moderator = try world.join("moderator", .moderator)
        let leaving = try world.join("leaving")
        let own = try world.publish(host)
        let other = try world.publish(moderator)
        world.drop(host)
        try world.request(LeaveRequest(), leaving)
        let late = try world.join("late")
        try world.request(ForceMuteAllRequest(excluding: []), moderator)
        world.media(.recorded(other, true))
        let (answer, events) = try snapshot(world, host)
        #expect(answer.connection == host && answer.resumeToken == "secret")
        #expect(answer.capabilities == .hostCapable)
        #expect(answer.users.map(\.id) == [host, moderator, late] && answer.userCount == 3)
        #expect(answer.users.first?.role == .host && answer.users.first?.isConnected == true)
        #expect(answer.streams.map(\.id) == [own, other])
        #expect(answer.streams.first?.isAudioMuted == true)
        #expect(answer.isMuteForced && answer.recordedStreams == [other])
        #expect(answer.subsessions.isManager)
        #expect(events == [.activeSpeaker(ActiveSpeaker(stream: nil))])
        // The answer to a join has the same content, apart from the client itself.
        let newest = try #require(world.clients[try world.join("newest")])
        #expect(newest.users.dropLast().map(\.id) == answer.users.map(\.id) && newest.streams == answer.streams)
    }

    @Test("CON-3 the active speaker and open requests for help follow a snapshot, for the client's own location")
    func following() throws {
        let stage = try SubsessionStage()
        let (world, user) = (stage.world, stage.users[0])
        let stream = try world.publish(stage.users[1])
        world.media(.activeSpeaker(stream))
        try stage.join(user, stage.one)
        let help = try #require(try world.request(RequestHelpRequest(), user)).request
        world.drop(stage.host)
        world.drop(user)
        let (answer, events) = try snapshot(world, stage.host)
        #expect(answer.subsessions.status == .started && answer.subsessions.subsessions.first?.users == [user])
        #expect(events.first == .activeSpeaker(ActiveSpeaker(stream: stream)))
        let asked = events.compactMap { if case .helpRequested(let body) = $0 { body.request } else { nil } }
        #expect(asked == [help])
        // A client in a subsession is told of its location, and of the speaker there.
        let (own, ownEvents) = try snapshot(world, user)
        #expect(!own.subsessions.isManager)
        #expect(ownEvents == [.activeSpeaker(ActiveSpeaker(stream: nil))])
    }

    @Test("CON-3 USR-1 the snapshot of a large session has one page, the own user, and the number of all users")
    func large() throws {
        var limits = ConferenceLimits()
        limits.listedUsers = 8
        limits.usersPage = 2
        let world = try World(limits: limits)
        let host = try world.join("host", .hostCapable)
        let speakers = try (0..<3).map { _ in try world.join("speaker") }
        for speaker in speakers { try world.publish(speaker) }
        let plain = try (0..<8).map { _ in try world.join("plain") }
        let client = plain[3]
        let (answer, _) = try snapshot(world, client)
        let joined = try #require(world.clients[try world.join("newest")])
        #expect(answer.users.map(\.id) == [host, speakers[0], client])
        #expect(answer.users.dropLast() == joined.users.dropLast())
        #expect(answer.nextPage != nil && answer.nextPage == joined.nextPage)
        #expect(answer.streams == joined.streams)
        #expect(answer.userCount == 12 && joined.userCount == 13)
    }

    @Test("only a client that is in the session gets a snapshot")
    func refused() throws {
        let world = try World()
        let client = try world.join()
        let publisher = try world.join("camera", kind: .publisher)
        try world.request(LeaveRequest(), client)
        for id in [publisher, client] {
            let made = world.conference.snapshot(for: id, resumeToken: "", now: world.now)
            #expect(made == nil)
        }
    }
}
