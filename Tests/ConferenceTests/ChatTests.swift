import Conference
import MediaBase
import Signaling
import Testing

@Suite struct ChatTests {
    private func chats(_ events: [Event]) -> [ChatReceived] {
        events.compactMap { if case .chat(let body) = $0 { body } else { nil } }
    }

    @Test("CHT-1 a chat message reaches all participants, its sender included, or the one that it names")
    func chat() throws {
        let world = try World()
        let ids = try (0..<3).map { try world.join("user \($0)") }
        world.forgetEvents()
        let body = try #require(try world.request(ChatRequest(text: "hello"), ids[0]))
        #expect(body.time == world.wallClock)
        let message = ChatReceived(message: body.message, from: ids[0], text: "hello", time: body.time)
        for id in ids { #expect(chats(world.newEvents(id)) == [message]) }
        try world.request(ChatRequest(text: "you", to: ids[2]), ids[0])
        #expect(chats(world.newEvents(ids[2])).map(\.text) == ["you"])
        #expect(chats(world.newEvents(ids[0])).map(\.to) == [ids[2]])
        #expect(world.newEvents(ids[1]) == [])
        try world.request(ChatRequest(text: "note", to: ids[1]), ids[1])
        #expect(chats(world.newEvents(ids[1])).map(\.text) == ["note"])
        // Each message has a different id.
        #expect(try world.request(ChatRequest(text: "hello"), ids[0]) != body)
        #expect(world.violations() == [])
    }

    @Test("SUB-6 CHT-1 a chat message stays in the sender's subsession")
    func scoped() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let ids = try (0..<3).map { try world.join("user \($0)") }
        try world.request(CommitSubsessionsRequest(names: ["a", "b"]), host)
        try world.request(StartSubsessionsRequest(), host)
        let room = world.conference.subsessionList[0].id
        for id in ids.prefix(2) { try world.request(JoinSubsessionRequest(subsession: room), id) }
        world.forgetEvents()
        try world.request(ChatRequest(text: "inside"), ids[0])
        #expect(chats(world.newEvents(ids[1])).map(\.subsession) == [room])
        #expect(chats(world.newEvents(ids[0])).count == 1)
        try world.request(ChatRequest(text: "outside"), host)
        #expect(chats(world.newEvents(ids[2])).map(\.subsession) == [nil])
        #expect(chats(world.newEvents(host)).map(\.text) == ["outside"])
        for id in ids.prefix(2) { #expect(chats(world.newEvents(id)) == []) }
        #expect(code { try world.request(ChatRequest(text: "x", to: ids[2]), ids[0]) } == .unknownUser)
        #expect(code { try world.request(ChatRequest(text: "x", to: ids[0]), host) } == .unknownUser)
        try world.request(StopSubsessionsRequest(), host)
        try world.request(ChatRequest(text: "all", to: ids[2]), ids[0])
        #expect(world.violations() == [])
    }

    @Test("CHT-1 the host switches chat off and on for all")
    func allowed() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let user = try world.join("user")
        world.forgetEvents()
        try world.request(SetChatAllowedRequest(isAllowed: false), host)
        let off = [Event.chatAllowedChanged(ChatAllowedChanged(isAllowed: false))]
        #expect(world.newEvents(user) == off)
        #expect(world.newEvents(host) == off)
        for id in [host, user] {
            #expect(code { try world.request(ChatRequest(text: "x"), id) } == .chatDisabled)
        }
        #expect(world.clients[try world.join("late")]?.isChatAllowed == false)
        try world.request(SetChatAllowedRequest(isAllowed: false), host)
        #expect(world.lastEffects == [])
        try world.request(SetChatAllowedRequest(isAllowed: true), host)
        try world.request(ChatRequest(text: "x"), user)
        #expect(world.violations() == [])
    }

    @Test("CHT-1 the length and the rate of messages are limited, each with its own error")
    func limits() throws {
        let world = try World()
        let user = try world.join("user")
        let other = try world.join("other")
        let camera = try world.join("camera", kind: .publisher)
        func attempt(_ text: String, to: ConnectionID? = nil) -> ErrorCode? {
            code { try world.request(ChatRequest(text: text, to: to), user) }
        }
        #expect(attempt(String(repeating: "é", count: 4_096)) == nil)
        #expect(attempt(String(repeating: "x", count: 8_193)) == .textTooLong)
        #expect(attempt("") == .invalidField)
        #expect(attempt("x", to: ConnectionID(rawValue: "nobody")) == .unknownUser)
        #expect(attempt("x", to: camera) == .unknownUser)
        // Refused messages do not count toward the rate limit.
        for _ in 1..<world.conference.limits.chatPerSecond { #expect(attempt("x") == nil) }
        #expect(attempt("x") == .rateLimited)
        try world.request(ChatRequest(text: "x"), other)
        world.pass(.milliseconds(200))
        #expect(attempt("x") == nil)
        #expect(attempt("x") == .rateLimited)
        #expect(world.violations() == [])
    }

    /// Returns the answer to a chat message.
    private func say(_ request: ChatRequest, _ world: World, _ sender: ConnectionID) throws -> ChatRequest.Answer? {
        try world.request(request, sender)
    }

    @Test("CHT-1 a message that is sent again with its id is delivered once and gets the same answer")
    func sentAgain() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let user = try world.join("user")
        let other = try world.join("other")
        world.forgetEvents()
        let first = try say(ChatRequest(text: "hello", id: "a"), world, user)
        let whisper = try say(ChatRequest(text: "psst", to: other, id: "b"), world, user)
        // The answers are lost with the connection; the client resumes.
        world.drop(user)
        world.pass(.seconds(5))
        try world.resume(user)
        #expect(try say(ChatRequest(text: "hello", id: "a"), world, user) == first)
        #expect(world.lastEffects == [])
        // The answer is repeated even if the message would be refused by now.
        try world.request(SetChatAllowedRequest(isAllowed: false), host)
        try world.request(LeaveRequest(), other)
        #expect(try say(ChatRequest(text: "psst", to: other, id: "b"), world, user) == whisper)
        #expect(chats(world.newEvents(host)).map(\.text) == ["hello"])
        #expect(chats(world.newEvents(user)).map(\.text) == ["hello", "psst"])
        #expect(code { try world.request(ChatRequest(text: "x", id: "c"), user) } == .chatDisabled)
        #expect(world.violations() == [])
    }

    @Test("CHT-1 message ids are separate for each user, and survive a new join of an identified user")
    func ids() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let nameless = try world.join("user")
        let named = try world.join("user", identity: "42")
        world.forgetEvents()
        let first = try say(ChatRequest(text: "hello", id: "a"), world, named)
        for request in [ChatRequest(text: "Hello", id: "a"), ChatRequest(text: "hello", to: host, id: "a")] {
            #expect(code { try world.request(request, named) } == .invalidField)
        }
        for id in ["", "é", String(repeating: "x", count: 65)] {
            #expect(code { try world.request(ChatRequest(text: "x", id: id), named) } == .invalidField)
        }
        let again = try world.join("user", identity: "42")
        #expect(try say(ChatRequest(text: "hello", id: "a"), world, again) == first)
        // Other users, and connections without an identity in their token, have their own ids.
        let second = try say(ChatRequest(text: "hello", id: "a"), world, nameless)
        let third = try say(ChatRequest(text: "hello", id: "a"), world, try world.join("user"))
        #expect(Set([first, second, third].compactMap { $0?.message }).count == 3)
        // Messages without an id are always delivered.
        for _ in 0..<2 { try world.request(ChatRequest(text: "bye"), named) }
        #expect(chats(world.newEvents(host)).map(\.text) == ["hello", "hello", "hello", "bye", "bye"])
        #expect(world.violations() == [])
    }

    @Test("CHT-1 repeated messages do not count toward the rate, and the number of remembered ids is bounded")
    func remembered() throws {
        var limits = ConferenceLimits()
        limits.chatPerSecond = 3
        limits.chatMemory = 2
        let world = try World(limits: limits)
        let user = try world.join("user")
        world.forgetEvents()
        let ids = ["a", "b", "c"]
        let answers = try ids.map { try say(ChatRequest(text: $0, id: $0), world, user) }
        #expect(code { try world.request(ChatRequest(text: "d", id: "d"), user) } == .rateLimited)
        for (id, answer) in zip(ids, answers).dropFirst() {
            #expect(try say(ChatRequest(text: id, id: id), world, user) == answer)
        }
        // The refused "d" was never remembered and "a", the oldest, was evicted: both are new messages.
        world.pass(.seconds(1))
        #expect(try say(ChatRequest(text: "d", id: "d"), world, user)?.time == world.wallClock)
        #expect(try say(ChatRequest(text: "a", id: "a"), world, user) != answers[0])
        #expect(chats(world.newEvents(user)).map(\.text) == ["a", "b", "c", "d", "a"])
        #expect(world.violations() == [])
    }
}
