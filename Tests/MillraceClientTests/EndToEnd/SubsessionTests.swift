import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import Signaling
import Testing

@Suite("SDK and relay: subsessions and chat", .serialized) struct SubsessionTests {
    private static func join(_ relay: RelayUnderTest) async throws -> (ada: Session, bob: Session, cleo: Session) {
        (
            try await relay.join("Ada", canHost: true), try await relay.join("Bob", canHost: true),
            try await relay.join("Cleo")
        )
    }

    private static func leave(_ sessions: [Session]) async {
        for session in sessions { await session.disconnect() }
    }

    /// Waits until a condition on a session holds.
    private static func wait(_ session: Session, _ what: String, _ holds: @escaping @Sendable () -> Bool) async {
        // The feed opens before the check, so that an event between the two is not missed.
        let events = session.events
        if holds() { return }
        _ = await first(of: events, what) { _ -> Bool? in holds() ? true : nil }
        #expect(holds())
    }

    private static func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do { try await body() } catch { return (error as? SessionError)?.code }
        return nil
    }

    @Test("SUB-1 SUB-2 SUB-3 SUB-4 committed, started, joined, returned, stopped: all clients see the same lists")
    func lists() async throws {
        try await RelayUnderTest.run { relay in
            let (ada, bob, cleo) = try await Self.join(relay)
            #expect(ada.subsessions.isManager && !bob.subsessions.isManager)
            #expect(bob.subsessions.status == .none && bob.subsessions.list.isEmpty)
            #expect(await Self.code { try await bob.subsessions.commit(["Red"]) } == .notPermitted)
            let events = bob.subsessions.events
            let rooms = try await ada.subsessions.commit(["Red", "Blue"])
            #expect(rooms.map(\.name) == ["Red", "Blue"])
            _ = await first(of: events, "the list") { $0 == .changed(.committed) ? true : nil }
            #expect(bob.subsessions.list.map(\.id) == rooms.map(\.id))
            #expect(await Self.code { try await bob.subsessions.list[0].join() } == .subsessionsState)
            try await ada.subsessions.withdraw()
            _ = await first(of: events, "the withdrawal") { $0 == .changed(.withdrawn) ? true : nil }
            #expect(bob.subsessions.list.isEmpty)

            let again = try await ada.subsessions.commit(["Red", "Blue"])
            try await ada.subsessions.start()
            _ = await first(of: events, "the start") { $0 == .changed(.started) ? true : nil }
            #expect(bob.subsessions.isStarted)
            try await bob.subsessions.list[0].join()
            try await cleo.subsessions.list[1].join()
            await Self.wait(ada, "who is where") {
                ada.subsessions.list.map { $0.users.map(\.name) } == [["Bob"], ["Cleo"]]
            }
            await Self.wait(bob, "one's own subsession") { bob.subsessions.current?.id == again[0].id }
            try await cleo.subsessions.list[0].join()
            await Self.wait(bob, "Cleo's move") {
                bob.subsessions.list.map { $0.users.map(\.name) } == [["Bob", "Cleo"], []]
            }
            try await bob.subsessions.returnToMainSession()
            await Self.wait(bob, "the return") { bob.subsessions.current == nil }
            try await ada.subsessions.stop()
            _ = await first(of: events, "the stop") { $0 == .changed(.stopped) ? true : nil }
            #expect(bob.subsessions.list.allSatisfy(\.users.isEmpty) && !bob.subsessions.isStarted)
            await Self.leave([ada, bob, cleo])
        }
    }

    @Test("SUB-2 roles: a manager starts, stops and broadcasts; a late joiner receives the state")
    func roles() async throws {
        try await RelayUnderTest.run { relay in
            let (ada, bob, cleo) = try await Self.join(relay)
            let (bobs, cleos) = (bob.subsessions.events, cleo.subsessions.events)
            try await ada.setManager(try #require(bob.connection))
            _ = await first(of: bobs, "the role") { $0 == .roleChanged(isManager: true) ? true : nil }
            #expect(bob.subsessions.isManager)
            try await ada.subsessions.commit(["Red"])
            try await bob.subsessions.start()
            _ = await first(of: cleos, "the start") { $0 == .changed(.started) ? true : nil }
            try await cleo.subsessions.list[0].join()
            #expect(await Self.code { try await cleo.subsessions.broadcast("no") } == .notPermitted)
            try await bob.subsessions.broadcast("five minutes left")
            let told = await first(of: cleos, "the broadcast") { event -> String? in
                if case .broadcast(let from, let text) = event { return from == bob.connection ? text : nil }
                return nil
            }
            #expect(told == "five minutes left")
            let late = try await relay.join("Dora")
            #expect(late.subsessions.isStarted && late.subsessions.list.map(\.name) == ["Red"])
            #expect(late.subsessions.list[0].users.map(\.name) == ["Cleo"])
            try await bob.subsessions.stop()
            _ = await first(of: cleos, "the stop") { $0 == .changed(.stopped) ? true : nil }
            await Self.leave([ada, bob, cleo, late])
        }
    }

    @Test("SUB-5 help is requested, ignored, and given") func help() async throws {
        try await RelayUnderTest.run { relay in
            let (ada, bob, cleo) = try await Self.join(relay)
            let (adas, bobs) = (ada.subsessions.events, bob.subsessions.events)
            #expect(await Self.code { try await bob.subsessions.requestForHelp() } == .notInSubsession)
            let rooms = try await ada.subsessions.commit(["Red"])
            try await ada.subsessions.start()
            await Self.wait(bob, "the start") { bob.subsessions.isStarted }
            try await bob.subsessions.list[0].join()
            for (isAccepted, result) in [(false, HelpResult.ignored), (true, .idle)] {
                let request = try await bob.subsessions.requestForHelp()
                let asked = await first(of: adas, "the question") { event -> HelpRequested? in
                    if case .helpRequested(let asked) = event, asked.request == request { return asked }
                    return nil
                }
                #expect(asked?.userName == "Bob" && asked?.subsessionName == "Red")
                try await ada.subsessions.answerHelp(request, isAccepted: isAccepted)
                _ = await first(of: bobs, "the result") { $0 == .helpResult(request, result) ? true : nil }
            }
            await Self.wait(ada, "the manager's move") { ada.subsessions.current?.id == rooms[0].id }
            let there = try await bob.subsessions.requestForHelp()
            _ = await first(of: bobs, "the manager is there") {
                $0 == .helpResult(there, .hostAlreadyInSubsession) ? true : nil
            }
            await Self.leave([ada, bob, cleo])
        }
    }

    @Test(
        "SUB-3 media stops when two participants part and resumes when they meet, with the same subscription",
        .timeLimit(.minutes(2)))
    func media() async throws {
        try await RelayUnderTest.run { relay in
            let (ada, bob, cleo) = try await Self.join(relay)
            let publisher = Publisher(TestSource.settings)
            let stream = try await ada.publish(publisher)
            let source = TestSource(publisher)
            let subscriber = try await SessionMediaTests.subscribe(bob, to: stream)
            _ = await SessionMediaTests.counters(subscriber, 10, "frames in the main session")
            try await ada.subsessions.commit(["Red", "Blue"])
            try await ada.subsessions.start()
            await Self.wait(bob, "the start") { bob.subsessions.isStarted }
            let others = try await SessionMediaTests.subscribe(cleo, to: stream)
            let events = subscriber.events
            try await bob.subsessions.list[0].join()
            _ = await first(of: events, "suspended") { $0 == .suspended ? true : nil }
            #expect(subscriber.isSuspended && !subscriber.isEnded)
            let quiet = subscriber.canvas.frames(limit: 100)
            _ = await SessionMediaTests.counters(others, 8, "frames in the main session, still")
            // Skips frames that were in flight.
            while quiet.poll() != nil {}
            _ = await SessionMediaTests.counters(others, 15, "frames in the main session, still")
            #expect(quiet.poll() == nil)
            try await ada.subsessions.list[0].join()
            _ = await first(of: events, "resumed") { $0 == .resumed ? true : nil }
            // A subscription to a publisher in another subsession stays pending.
            let dora = try await relay.join("Dora")
            let waiting = try await SessionMediaTests.subscribe(dora, to: stream)
            _ = await SessionMediaTests.counters(subscriber, 15, "frames in the subsession")
            #expect(!waiting.isConnected && others.isSuspended)
            try await ada.subsessions.stop()
            _ = await SessionMediaTests.counters(waiting, 10, "frames for Dora once Ada is back")
            for back in [subscriber, others] {
                _ = await SessionMediaTests.counters(back, 10, "frames for who was there before")
            }
            await dora.disconnect()
            _ = source
            await Self.leave([ada, bob, cleo])
        }
    }

    @Test("CHT-1 SUB-6 chat reaches all, one participant, or a subsession; the host disables it")
    func chat() async throws {
        try await RelayUnderTest.run { relay in
            let (ada, bob, cleo) = try await Self.join(relay)
            let (adas, bobs, cleos) = (ada.chat.events, bob.chat.events, cleo.chat.events)
            let id = try await bob.chat.send("hello")
            for feed in [adas, bobs, cleos] {
                let message = await first(of: feed, "the message") { event -> ChatReceived? in
                    if case .message(let message) = event { return message }
                    return nil
                }
                #expect(message?.message == id && message?.text == "hello" && message?.from == bob.connection)
            }
            try await bob.chat.send("psst", to: ada.connection)
            #expect(await Self.code { try await bob.chat.send(String(repeating: "x", count: 8_193)) } == .textTooLong)
            #expect(await Self.code { try await bob.chat.send("") } == .invalidField)
            try await ada.subsessions.commit(["Red"])
            try await ada.subsessions.start()
            await Self.wait(bob, "the start") { bob.subsessions.isStarted }
            try await bob.subsessions.list[0].join()
            try await bob.chat.send("anybody here?")
            try await cleo.chat.send("out here")
            let next = await first(of: bobs, "one's own, in the subsession") { event -> ChatReceived? in
                if case .message(let message) = event, message.text == "anybody here?" { return message }
                return nil
            }
            #expect(next?.subsession == bob.subsessions.list.first?.id)
            let outside = await first(of: cleos, "what was said outside") { event -> String? in
                if case .message(let message) = event { return message.text }
                return nil
            }
            // Neither the private message nor that of the subsession arrives.
            #expect(outside == "out here")
            #expect(await Self.code { try await bob.chat.setAllowed(false) } == .notPermitted)
            try await ada.chat.setAllowed(false)
            _ = await first(of: cleos, "it is off") { $0 == .allowedChanged(false) ? true : nil }
            #expect(!cleo.chat.isAllowed)
            #expect(await Self.code { try await cleo.chat.send("?") } == .chatDisabled)
            try await ada.chat.setAllowed(true)
            _ = await first(of: cleos, "it is on") { $0 == .allowedChanged(true) ? true : nil }
            try await cleo.chat.send("!")
            await Self.leave([ada, bob, cleo])
        }
    }
}
