import Conference
import MediaBase
import Signaling
import Testing

@Suite struct ChatTests {
    private func chats(_ events: [Event]) -> [ChatReceived] {
        events.compactMap { if case .chat(let body) = $0 { body } else { nil } }
    }

    @Test("CHT-1 chat to all, its sender included, and to one")
    func chat() throws {
        let world = try World()
        let ids = try (0..<3).map { try world.join("user \($0)") }
        world.forgetEvents()
        let answer = try world.request(.chat(ChatRequest(text: "hello")), ids[0])
        guard case .chat(let body) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(body.time == world.wallClock)
        let message = ChatReceived(message: body.message, from: ids[0], text: "hello", time: body.time)
        for id in ids { #expect(chats(world.newEvents(id)) == [message]) }
        try world.request(.chat(ChatRequest(text: "you", to: ids[2])), ids[0])
        #expect(chats(world.newEvents(ids[2])).map(\.text) == ["you"])
        #expect(chats(world.newEvents(ids[0])).map(\.to) == [ids[2]])
        #expect(world.newEvents(ids[1]) == [])
        try world.request(.chat(ChatRequest(text: "note", to: ids[1])), ids[1])
        #expect(chats(world.newEvents(ids[1])).map(\.text) == ["note"])
        // Each message has an id of its own.
        #expect(try world.request(.chat(ChatRequest(text: "hello")), ids[0]) != answer)
        #expect(world.violations() == [])
    }

    @Test("SUB-6 CHT-1 chat stays in the subsession one is in")
    func scoped() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let ids = try (0..<3).map { try world.join("user \($0)") }
        try world.request(.commitSubsessions(CommitSubsessionsRequest(names: ["a", "b"])), host)
        try world.request(.startSubsessions(StartSubsessionsRequest()), host)
        let room = world.conference.subsessionList[0].id
        for id in ids.prefix(2) { try world.request(.joinSubsession(JoinSubsessionRequest(subsession: room)), id) }
        world.forgetEvents()
        try world.request(.chat(ChatRequest(text: "inside")), ids[0])
        #expect(chats(world.newEvents(ids[1])).map(\.subsession) == [room])
        #expect(chats(world.newEvents(ids[0])).count == 1)
        try world.request(.chat(ChatRequest(text: "outside")), host)
        #expect(chats(world.newEvents(ids[2])).map(\.subsession) == [nil])
        #expect(chats(world.newEvents(host)).map(\.text) == ["outside"])
        for id in ids.prefix(2) { #expect(chats(world.newEvents(id)) == []) }
        #expect(code { try world.request(.chat(ChatRequest(text: "x", to: ids[2])), ids[0]) } == .unknownUser)
        #expect(code { try world.request(.chat(ChatRequest(text: "x", to: ids[0])), host) } == .unknownUser)
        try world.request(.stopSubsessions(StopSubsessionsRequest()), host)
        try world.request(.chat(ChatRequest(text: "all", to: ids[2])), ids[0])
        #expect(world.violations() == [])
    }

    @Test("CHT-1 the host switches the chat off and on, for all")
    func allowed() throws {
        let world = try World()
        let host = try world.join("host", .hostCapable)
        let user = try world.join("user")
        world.forgetEvents()
        try world.request(.setChatAllowed(SetChatAllowedRequest(isAllowed: false)), host)
        let off = [Event.chatAllowedChanged(ChatAllowedChanged(isAllowed: false))]
        #expect(world.newEvents(user) == off)
        #expect(world.newEvents(host) == off)
        for id in [host, user] {
            #expect(code { try world.request(.chat(ChatRequest(text: "x")), id) } == .chatDisabled)
        }
        #expect(world.clients[try world.join("late")]?.isChatAllowed == false)
        try world.request(.setChatAllowed(SetChatAllowedRequest(isAllowed: false)), host)
        #expect(world.lastEffects == [])
        try world.request(.setChatAllowed(SetChatAllowedRequest(isAllowed: true)), host)
        try world.request(.chat(ChatRequest(text: "x")), user)
        #expect(world.violations() == [])
    }

    @Test("CHT-1 texts and rates have limits, each with its error")
    func limits() throws {
        let world = try World()
        let user = try world.join("user")
        let other = try world.join("other")
        let camera = try world.join("camera", kind: .publisher)
        func attempt(_ text: String, to: ConnectionID? = nil) -> ErrorCode? {
            code { try world.request(.chat(ChatRequest(text: text, to: to)), user) }
        }
        #expect(attempt(String(repeating: "é", count: 4_096)) == nil)
        #expect(attempt(String(repeating: "x", count: 8_193)) == .textTooLong)
        #expect(attempt("") == .invalidField)
        #expect(attempt("x", to: ConnectionID(rawValue: "nobody")) == .unknownUser)
        #expect(attempt("x", to: camera) == .unknownUser)
        // What was refused does not count.
        for _ in 1..<world.conference.limits.chatPerSecond { #expect(attempt("x") == nil) }
        #expect(attempt("x") == .rateLimited)
        try world.request(.chat(ChatRequest(text: "x")), other)
        world.pass(.milliseconds(200))
        #expect(attempt("x") == nil)
        #expect(attempt("x") == .rateLimited)
        #expect(world.violations() == [])
    }
}
