import Signaling
import Testing

@testable import MillraceClient

@Suite("Session machine: resent chat messages") struct SessionChatTests {
    private static let room = SubsessionID(rawValue: "r")

    private static func say(_ text: String, id: String?, ticket: UInt64, _ bench: inout MachineBench) {
        bench.machine.request(ChatRequest(text: text, id: id), ticket: ticket, now: bench.now)
        bench.drain()
    }

    /// Chat messages that the relay received, in order.
    private static func said(_ bench: MachineBench) -> [ChatRequest] {
        bench.sent.compactMap { message in
            if let chat = message.request as? ChatRequest { return chat }
            return nil
        }
    }

    private static func failure(_ ticket: UInt64, _ bench: MachineBench) -> ErrorCode? {
        if case .failure(let error) = bench.answers[ticket] { return error.code }
        return nil
    }

    @Test("CHT-1 CON-3 a message whose answer was lost is sent again with its id, once") func resumed() {
        var bench = MachineBench()
        bench.enter()
        let ids: [String?] = ["a", "b", nil, "d"]
        for (ticket, id) in zip(UInt64(1)..., ids) {
            Self.say("\(ticket)", id: id, ticket: ticket, &bench)
        }
        bench.reply(
            .success(ChatRequest.Answer(message: ChatMessageID(rawValue: "m1"), time: 5)),
            to: bench.sent[bench.sent.count - 4].id)
        bench.cut()
        // The relay could not recognise a resent message without an id, so it fails.
        #expect(bench.answered == [1, 3])
        #expect(Self.failure(3, bench) == .notConnected)
        // The connection is lost once more before it resumes.
        bench.advanceToOpen()
        bench.open()
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        #expect(Self.said(bench).count == 4)
        bench.resumed()
        #expect(Self.said(bench).suffix(2) == [ChatRequest(text: "2", id: "b"), ChatRequest(text: "4", id: "d")])
        for message in bench.sent.suffix(2) {
            bench.reply(
                .success(ChatRequest.Answer(message: ChatMessageID(rawValue: "m2"), time: 6)), to: message.id)
        }
        #expect(bench.answered == [1, 3, 2, 4])
        #expect(Self.failure(2, bench) == nil && Self.failure(4, bench) == nil)
        #expect(Self.said(bench).count == 6)
    }

    @Test(
        "CHT-1 SUB-6 after a new join a message is resent if the relay knows its user and its audience is the same",
        arguments: [
            ("42", false, "s", true), (nil, false, "s", false), ("42", true, "s", false), ("42", false, "t", false),
        ] as [(String?, Bool, String, Bool)])
    func joinedAnew(_ identity: String?, _ isInRoom: Bool, _ session: String, _ isSentAgain: Bool) {
        var bench = MachineBench()
        var first = MachineBench.answer(users: [
            UserInfo(id: MachineBench.me, name: "me", identity: identity, joinedAt: 1)
        ])
        let users = isInRoom ? [MachineBench.me] : []
        first.subsessions = SubsessionsState(
            status: .started, subsessions: [SubsessionInfo(id: Self.room, name: "Red", users: users)])
        bench.enter(first)
        Self.say("hello", id: "a", ticket: 1, &bench)
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        bench.refuse(SignalingError(.resumeExpired))
        let again = ConnectionID(rawValue: "again")
        var answer = MachineBench.answer(
            connection: again, users: [UserInfo(id: again, name: "me", identity: identity, joinedAt: 1)])
        answer.session = SessionID(rawValue: session)
        bench.joined(answer)
        #expect(bench.machine.status == .connected)
        #expect(Self.said(bench).count == (isSentAgain ? 2 : 1))
        #expect(Self.failure(1, bench) == (isSentAgain ? nil : ErrorCode.notConnected))
    }

    @Test("CHT-1 an unsent message fails if the client leaves the session first") func left() {
        var bench = MachineBench()
        bench.enter()
        Self.say("hello", id: "a", ticket: 1, &bench)
        bench.cut()
        #expect(bench.answered.isEmpty)
        bench.machine.leave(endForAll: false, now: bench.now)
        bench.drain()
        #expect(Self.failure(1, bench) == .notConnected)
    }
}
