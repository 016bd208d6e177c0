import ControlServer
import Foundation
import MillraceTestKit
import Persistence
import Signaling
import Testing

@Suite(.serialized) struct MessageEndpointTests {
    @Test("CHT-2 CHT-5 a message reaches all sockets of both users but the one that sent it")
    func delivery() async throws {
        try await withMessages { relay in
            let (ada, phone) = (try await relay.login("ada"), try await relay.login("ada"))
            let bob = try await relay.login("bob")
            let answer = try await ada.send("hello", to: .peer("bob"), id: "m-1").get()
            #expect(answer.number == 1)
            guard case .messageReceived(let received) = try await bob.nextMessaging(.messageReceived) else { return }
            #expect(received.message.text == "hello" && received.message.from == "ada")
            #expect(received.message.conversation == .peer("ada") && received.message.time == answer.time)
            guard case .messageReceived(let own) = try await phone.nextMessaging(.messageReceived) else { return }
            #expect(own.message.conversation == .peer("bob") && own.message.from == "ada")
            guard case .notification(let call) = try await bob.nextMessaging(.notification) else { return }
            #expect(call.message == received.message)
            guard case .totalUnreadChanged(let total) = try await bob.nextMessaging(.totalUnreadChanged) else { return }
            #expect(total.total == 1)
            guard case .conversationsChanged(let change) = try await bob.nextMessaging(.conversationsChanged) else {
                return
            }
            #expect(change.conversations.map(\.id) == ["ada"])
            _ = try await ada.nextMessaging(.conversationsChanged)
            #expect(!ada.events.contains { $0.event.name == .messageReceived })
            // Events of conversations are not numbered.
            #expect((ada.events + bob.events + phone.events).allSatisfy { $0.seq == 0 })
            #expect(try await bob.list().totalUnread == 1)
            #expect(relay.messages.counts.users == 2 && relay.messages.counts.sockets == 3)
            #expect(relay.messages.counts.messages == 1)
        }
    }

    @Test("SES-3 users of two apps with the same id get no events of each other")
    func apps() async throws {
        try await withMessages { relay in
            let bob = try await relay.login("bob", app: "other")
            let ada = try await relay.login("ada")
            _ = try await ada.send("hello", to: .peer("bob")).get()
            #expect(try await bob.list().conversations == [])
            #expect(
                try await bob.request(HistoryRequest(conversation: .peer("ada"), count: 1))
                    .failure?.code == .unknownConversation)
            #expect(bob.events.isEmpty)
        }
    }

    @Test("a join with an identity in its token also logs in to conversations; a join without one does not")
    func joined() async throws {
        try await withMessages { relay in
            let (ada, _) = try await relay.join("Ada", token: TestToken(identity: "ada"))
            let (nobody, _) = try await relay.join("Nobody", token: TestToken())
            let bob = try await relay.login("bob")
            _ = try await bob.send("hello", to: .peer("ada")).get()
            _ = try await ada.nextMessaging(.messageReceived)
            #expect(try await ada.list().totalUnread == 1)
            #expect(
                try await nobody.request(ConversationsRequest(count: 1))
                    .failure?.code == .notLoggedIn)
            // A login without a token returns the current cursor.
            let login = try await ada.request(LoginRequest()).get()
            #expect(login.user == "ada" && login.cursor > 0)
            // Session events are still numbered from 1. Joins are announced within 100 ms.
            try await eventually("a join is told") { ada.events.contains { $0.seq > 0 } }
            let numbers = ada.events.map(\.seq).filter { $0 > 0 }
            #expect(numbers == Array((1...).prefix(numbers.count)))
        }
    }

    @Test("a socket that is logged in may join, and resume later")
    func loginThenJoin() async throws {
        try await withMessages { relay in
            let ada = try await relay.login("ada")
            let joined = try await ada.join("Ada", token: TestToken(identity: "ada"))
            await ada.cut()
            let back = try await relay.connect()
            try await eventually("the loss is noticed") { relay.messages.counts.sockets == 0 }
            let request = ResumeRequest(resumeToken: joined.resumeToken, lastEvent: 0)
            _ = try await back.request(request).get()
            #expect(try await back.list().conversations == [])
        }
    }

    @Test("a login needs a token with an identity, and cannot change the user")
    func login() async throws {
        try await withMessages { relay in
            let client = try await relay.connect()
            func code(_ request: LoginRequest) async throws -> ErrorCode? {
                try await client.request(request).failure?.code
            }
            #expect(try await code(LoginRequest()) == .tokenMissing)
            #expect(try await code(LoginRequest(token: "?")) == .tokenMalformed)
            #expect(try await code(LoginRequest(token: TestToken().text)) == .identityMissing)
            #expect(
                try await code(LoginRequest(version: 2, token: TestToken(identity: "ada").text)) == .unsupportedVersion)
            let expired = TestToken(identity: "ada", refusal: .tokenExpired)
            #expect(try await code(LoginRequest(token: expired.text)) == .tokenExpired)
            #expect(
                try await client.request(ConversationsRequest(count: 1))
                    .failure?.code == .notLoggedIn)
            #expect(try await code(LoginRequest(token: TestToken(identity: "ada").text)) == nil)
            #expect(try await code(LoginRequest(token: TestToken(identity: "ada").text)) == nil)
            #expect(try await code(LoginRequest(token: TestToken(identity: "bob").text)) == .notPermitted)
            #expect(relay.messages.counts.sockets == 1)
            // The token of the handshake is accepted, too.
            let other = try await relay.connect(token: TestToken(identity: "bob").text)
            #expect(try await other.request(LoginRequest()).get().user == "bob")
        }
    }

    @Test("a refused login leaves the socket unchanged and may be tried again")
    func refusedLogin() async throws {
        try await withMessages { relay in
            let client = try await relay.connect()
            let name = String(repeating: "x", count: 201)
            let token = TestToken(identity: "ada").text
            let refused = try await client.request(LoginRequest(token: token, name: name))
            #expect(refused.failure?.code == .invalidField)
            #expect(relay.messages.counts.sockets == 0)
            let list = try await client.request(ConversationsRequest(count: 1))
            #expect(list.failure?.code == .notLoggedIn)
            let other = LoginRequest(token: TestToken(identity: "bob").text)
            #expect(try await client.request(other).get().user == "bob")
            // A socket that is logged in stays logged in.
            let renamed = try await client.request(LoginRequest(name: name))
            #expect(renamed.failure?.code == .invalidField)
            #expect(relay.messages.counts.sockets == 1)
            #expect(try await client.list().conversations == [])
        }
    }

    @Test("a refused login does not extend the time to log in or join")
    func refusedLoginInTime() async throws {
        try await withMessages(MessageHubConfiguration(), { $0.connect.joinTime = .seconds(2) }) { relay in
            let client = try await relay.connect()
            let login = LoginRequest(
                token: TestToken(identity: "ada").text, name: String(repeating: "x", count: 201))
            #expect(try await client.request(login).failure?.code == .invalidField)
            #expect(try await client.closing().code == 1_008)
        }
    }

    @Test("a join beyond the limit of logins succeeds, and its messaging requests are refused with the limit's name")
    func tooManyJoined() async throws {
        var configuration = MessageHubConfiguration()
        configuration.loginsPerUser = 1
        try await withMessages(configuration) { relay in
            let first = try await relay.login("ada")
            let (second, _) = try await relay.join("Ada", token: TestToken(identity: "ada"))
            func refusal() async throws -> SignalingError? {
                try await second.request(ConversationsRequest(count: 1)).failure
            }
            let refused = try await refusal()
            #expect(refused?.code == .limitReached && refused?.limit == "limit.loginsPerUser")
            await first.cut()
            try await eventually("no socket is left") { relay.messages.counts.sockets == 0 }
            #expect(try await second.request(LoginRequest()).failure?.code == .tokenMissing)
            let login = LoginRequest(token: TestToken(identity: "ada").text)
            #expect(try await second.request(login).get().user == "ada")
            #expect(try await refusal() == nil)
        }
    }

    @Test("CHT-10 the message rate of a user is limited across all of its sockets")
    func rate() async throws {
        var configuration = MessageHubConfiguration()
        configuration.limits.userMessagesPerSecond = 5
        configuration.loginsPerUser = 2
        try await withMessages(configuration) { relay in
            let sockets = [try await relay.login("ada"), try await relay.login("ada")]
            var codes: [ErrorCode] = []
            for number in 0..<20 {
                let answer = try await sockets[number % 2].send("x", to: .peer("bob"))
                if let code = answer.failure?.code { codes.append(code) }
            }
            #expect(codes.count >= 5 && Set(codes) == [.rateLimited])
            let third = try await relay.connect()
            let refused = try await third.request(LoginRequest(token: TestToken(identity: "ada").text))
            #expect(refused.failure?.code == .limitReached && refused.failure?.limit == "limit.loginsPerUser")
        }
    }

    @Test("a socket that does not read is closed without delaying others")
    func slow() async throws {
        var configuration = MessageHubConfiguration.withoutUserRates
        configuration.unsentBytes = 256 << 10
        try await withMessages(configuration) { relay in
            let ada = try await relay.login("ada")
            let bob = try await relay.login("bob")
            bob.pause()
            let text = String(repeating: "x", count: 8_000)
            for _ in 0..<2_000 where relay.messages.counts.slowSockets == 0 {
                _ = try await ada.send(text, to: .peer("bob")).get()
            }
            // Later messages skip the closed socket and do not count it as slow again.
            for _ in 0..<20 { _ = try await ada.send("x", to: .peer("bob")).get() }
            #expect(relay.messages.counts.slowSockets == 1)
            #expect(relay.messages.counts.sockets == 1)
            bob.pause(false)
            let closed = try await bob.closing()
            #expect(closed.code == 1_008 && closed.reason == "slowConsumer")
        }
    }

    @Test("a relay without storage refuses messaging with messagingDisabled")
    func disabled() async throws {
        try await withConnect { relay in
            let (client, _) = try await relay.join("Ada", token: TestToken(identity: "ada"))
            #expect(
                try await client.request(ConversationsRequest(count: 1))
                    .failure?.code == .messagingDisabled)
            #expect(try await client.request(LoginRequest()).failure?.code == .messagingDisabled)
            let token = TestToken(identity: "ada").text
            #expect(
                try await client.request(LoginRequest(token: token)).failure?.code == .messagingDisabled)
        }
        try await withConnect(storage: .failed(StorageError(.corrupted, "/secret"))) { relay in
            let client = try await relay.connect()
            let token = TestToken(identity: "ada").text
            let refused = try await client.request(LoginRequest(token: token))
            #expect(refused.failure?.code == .storageFailed)
            #expect(try await relay.http.request("GET", "/metrics").text.contains("millrace_storage_up 0\n"))
        }
    }

    @Test("a sender is told of a full disk, and sessions continue")
    func full() async throws {
        let folder = TemporaryFolder()
        var storage = StorageConfiguration(directory: folder.path)
        storage.maximumMegabytes = 1
        let database = try MessageDatabase(storage, wallClock: { 0 })
        defer { database.close() }
        try await withConnect(storage: .open(database), messages: .withoutUserRates) { relay in
            let (ada, _) = try await relay.join("Ada", token: TestToken(identity: "ada"))
            let text = String(repeating: "x", count: 8_000)
            var code: ErrorCode?
            for _ in 0..<500 where code == nil { code = try await ada.send(text, to: .peer("bob")).failure?.code }
            #expect(code == .storageFailed)
            #expect(try await ada.ask(PingRequest()) == nil)
            let (_, second) = try await relay.join("Bob")
            #expect(second.users.count == 2)
            let metrics = try await relay.http.request("GET", "/metrics").text
            #expect(metrics.contains("millrace_storage_failures_total{cause=\"diskFull\"} "))
            #expect(!metrics.contains("millrace_storage_failures_total{cause=\"diskFull\"} 0\n"))
        }
    }

    @Test("CHT-2 changes of a group are sent to its members, and its end applies to all")
    func groups() async throws {
        try await withMessages { relay in
            let (ada, bob) = (try await relay.login("ada"), try await relay.login("bob"))
            let group = try await ada.request(
                CreateGroupRequest(name: "Team", members: ["bob"])
            ).get()
            guard case .groupChanged(let change) = try await bob.nextMessaging(.groupChanged) else { return }
            #expect(change == .init(id: group.id, name: "Team", owner: "ada", size: 2, added: ["ada", "bob"]))
            _ = try await bob.send("hello", to: .group(group.id)).get()
            guard case .messageReceived(let received) = try await ada.nextMessaging(.messageReceived) else { return }
            #expect(received.message.conversation == .group(group.id))
            #expect(
                try await bob.request(DismissGroupRequest(group: group.id))
                    .failure?.code == .notPermitted)
            _ = try await ada.request(DismissGroupRequest(group: group.id)).get()
            guard case .groupDismissed(let end) = try await bob.nextMessaging(.groupDismissed) else { return }
            #expect(end.group == group.id)
            #expect(try await bob.list().conversations == [])
        }
    }
}
