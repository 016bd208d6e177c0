import Foundation
import Signaling
import Testing

@Suite("Subsessions and chat over the WebSocket")
struct SubsessionEndpointTests {
    private struct Stage {
        let host: SocketClient
        let users: [SocketClient]
        let ids: [ConnectionID]
        let rooms: [SubsessionID]

        init(_ relay: ConnectFixture) async throws {
            host = try await relay.join("host", token: .host).0
            var users: [SocketClient] = []
            var ids: [ConnectionID] = []
            for index in 0..<2 {
                let (socket, answer) = try await relay.join("user \(index)")
                users.append(socket)
                ids.append(answer.connection)
            }
            let list = try await host.request(
                CommitSubsessionsRequest(names: ["one", "two"])
            ).get().subsessions
            #expect(try await host.ask(StartSubsessionsRequest()) == nil)
            (self.users, self.ids, rooms) = (users, ids, list.map(\.id))
        }

        func join(_ user: Int, _ room: Int) async throws {
            let request = JoinSubsessionRequest(subsession: rooms[room])
            #expect(try await users[user].ask(request) == nil)
        }
    }

    @Test("SUB-5 a request for help is accepted, or is answered with busy")
    func help() async throws {
        try await withConnect { relay in
            let stage = try await Stage(relay)
            let early = try await stage.users[0].request(RequestHelpRequest())
            #expect(early.failure?.code == .notInSubsession)
            try await stage.join(0, 0)
            try await stage.join(1, 1)
            let asked = try await stage.users[0].request(RequestHelpRequest()).get().request
            guard case .helpRequested(let wish) = try await stage.host.next(.helpRequested) else { return }
            #expect(wish.request == asked && wish.user == stage.ids[0] && wish.userName == "user 0")
            #expect(wish.subsession == stage.rooms[0] && wish.subsessionName == "one")
            #expect(
                try await stage.host.ask(AnswerHelpRequest(request: asked, isAccepted: true)) == nil)
            let idle = Event.helpResult(HelpResulted(request: asked, result: .idle))
            #expect(try await stage.users[0].next(.helpResult) == idle)
            let state = try await stage.host.request(SubsessionsRequest()).get()
            #expect(state.isManager && state.subsessions[0].users.count == 2)
            // The only manager is in another subsession.
            _ = try await stage.users[1].request(RequestHelpRequest()).get()
            guard case .helpResult(let busy) = try await stage.users[1].next(.helpResult) else { return }
            #expect(busy.result == .busy)
            #expect(
                try await stage.users[1].ask(AnswerHelpRequest(request: asked, isAccepted: true))?.code
                    == .notPermitted)
            for socket in stage.users + [stage.host] { await socket.cut() }
        }
    }

    @Test("SUB-6 CHT-1 chat reaches participants of the same subsession, and is refused while it is off")
    func chat() async throws {
        try await withConnect { relay in
            let stage = try await Stage(relay)
            try await stage.join(0, 0)
            let sent = try await stage.users[0].request(ChatRequest(text: "inside")).get()
            guard case .chat(let own) = try await stage.users[0].next(.chat) else { return }
            #expect(own.message == sent.message && own.time == sent.time && own.subsession == stage.rooms[0])
            _ = try await stage.users[1].request(ChatRequest(text: "outside")).get()
            guard case .chat(let heard) = try await stage.host.next(.chat) else { return }
            #expect(heard.text == "outside" && heard.subsession == nil)
            let far = try await stage.users[1].request(ChatRequest(text: "x", to: stage.ids[0]))
            #expect(far.failure?.code == .unknownUser)
            let long = ChatRequest(text: String(repeating: "x", count: 8_193))
            #expect(try await stage.users[1].request(long).failure?.code == .textTooLong)
            #expect(try await stage.host.ask(SetChatAllowedRequest(isAllowed: false)) == nil)
            _ = try await stage.users[0].next(.chatAllowedChanged)
            #expect(
                try await stage.users[0].request(ChatRequest(text: "x")).failure?.code == .chatDisabled)
            #expect(
                !stage.host.events.contains {
                    if case .chat(let body) = $0.event { body.text == "inside" } else { false }
                })
            for socket in stage.users + [stage.host] { await socket.cut() }
        }
    }

    @Test("CHT-1 CON-3 a chat message that is sent again after a lost answer is delivered once")
    func chatAgain() async throws {
        try await withConnect { relay in
            let host = try await relay.join("host", token: .host).0
            let token = TestToken(identity: "42")
            let (user, answer) = try await relay.join("user", token: token)
            let message = ChatRequest(text: "hello", id: "7F")
            let first = try await user.request(message).get()
            _ = try await user.next(.chat)
            _ = try await host.next(.chat)
            let last = try #require(user.events.last?.seq)
            await user.cut()
            _ = try await host.next(.userDropped)
            let back = try await relay.connect()
            let resume = ResumeRequest(resumeToken: answer.resumeToken, lastEvent: last)
            _ = try await back.request(resume).get()
            #expect(try await back.request(message).get() == first)
            // The same applies after a new join.
            let anew = try await relay.join("user", token: token).0
            #expect(try await anew.request(message).get() == first)
            _ = try await anew.request(ChatRequest(text: "bye")).get()
            guard case .chat(let heard) = try await host.next(.chat) else { return }
            #expect(heard.text == "bye")
            for socket in [host, back, anew] { await socket.cut() }
        }
    }

    @Test("SUB-1 SUB-3 CON-3 a client that resumes is in the same location and gets the missed events")
    func comingBack() async throws {
        try await withConnect { relay in
            let host = try await relay.join("host", token: .host).0
            let (user, answer) = try await relay.join("user")
            #expect(answer.isChatAllowed && answer.subsessions == SubsessionsState())
            let refused = try await user.ask(StartSubsessionsRequest())
            #expect(refused?.code == .notPermitted)
            let failed = try await host.ask(StartSubsessionsRequest())
            #expect(failed?.code == .subsessionsState)
            guard case .subsessionsChanged(let failure) = try await host.next(.subsessionsChanged) else { return }
            #expect(failure.change == .startFailed)
            let list = try await host.request(
                CommitSubsessionsRequest(names: ["one"])
            ).get().subsessions
            #expect(try await host.ask(StartSubsessionsRequest()) == nil)
            #expect(try await user.ask(JoinSubsessionRequest(subsession: list[0].id)) == nil)
            _ = try await user.next(.subsessionUsersChanged)
            let last = try #require(user.events.last?.seq)
            await user.cut()
            _ = try await host.next(.userDropped)
            #expect(try await host.ask(BroadcastRequest(text: "soon")) == nil)
            #expect(try await host.ask(StopSubsessionsRequest()) == nil)
            let back = try await relay.connect()
            let resumed = try await back.request(
                ResumeRequest(resumeToken: answer.resumeToken, lastEvent: last)
            ).get()
            #expect(resumed.missed >= 3)
            let told = Event.broadcast(BroadcastReceived(from: try #require(answer.users.first).id, text: "soon"))
            #expect(try await back.next(.broadcast) == told)
            let state = try await back.request(SubsessionsRequest()).get()
            #expect(state.status == .committed && state.subsessions.allSatisfy { $0.users.isEmpty })
            for socket in [host, back] { await socket.cut() }
        }
    }

    @Test("SUB-4 an operator sees the location of each user")
    func operatorView() async throws {
        try await withConnect { relay in
            let stage = try await Stage(relay)
            try await stage.join(1, 1)
            let overview = await relay.liveSessions.sessions(app: nil, after: nil, limit: 10)
            #expect(overview.map(\.subsessionStatus) == [.started])
            #expect(overview.first?.subsessions.map(\.users) == [[], [stage.ids[1]]])
            for socket in stage.users + [stage.host] { await socket.cut() }
        }
    }
}
