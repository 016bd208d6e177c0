import MediaBase
import MillraceClient
import MillraceTestKit
import NIOConcurrencyHelpers
import Signaling
import Testing

@Suite("SDK and relay: conversations", .serialized) struct ConversationTests {
    /// Returns a client of a user, with its own connection and store.
    private static func client(
        _ name: String, _ relay: RelayUnderTest, url: String? = nil, store: ConversationStore? = nil
    ) async throws -> MessagingClient {
        var configuration = MessagingConfiguration()
        configuration.retryDelay = .milliseconds(200)
        configuration.reconnect.longestDelay = .seconds(1)
        return MessagingClient(
            url: url ?? relay.url, token: try await relay.token(session: "none", identity: name),
            store: try store ?? ConversationStore(), configuration: configuration)
    }

    private static func received(_ text: String) -> @Sendable (ConversationEvent) -> Message? {
        { event in
            if case .messageReceived(let message) = event { return message.text == text ? message : nil }
            return nil
        }
    }

    private static func sent(_ text: String) -> @Sendable (ConversationEvent) -> Message? {
        { event in
            if case .messageSent(let message) = event { return message.text == text ? message : nil }
            return nil
        }
    }

    private static func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do { try await body() } catch { return (error as? SessionError)?.code }
        return nil
    }

    /// Waits until a condition on a client's store holds.
    private static func wait(
        _ client: MessagingClient, _ what: String, _ holds: (MessagingClient) async throws -> Bool
    ) async throws {
        let events = client.events
        while try await !holds(client) {
            guard await first(of: events, what, { _ in true }) != nil else { return }
        }
    }

    @Test("CHT-2 CHT-3 CHT-5 CHT-6 CHT-7 a first message creates the conversation on both sides; unread, mute, clear")
    func messages() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await Self.client("ada", relay)
            let bob = try await Self.client("bob", relay)
            try await ada.connect(name: "Ada")
            try await bob.connect(name: "Bob")
            #expect(ada.status == .connected && ada.user == "ada")
            let (adas, bobs) = (ada.events, bob.events)
            let written = try await ada.send("hello", to: .peer("bob"))
            let sent = await first(of: adas, "the confirmation", Self.sent("hello"))
            let got = await first(of: bobs, "the message", Self.received("hello"))
            #expect(sent?.id == written.id && got?.id == written.id && got?.from == "ada")
            #expect(sent?.conversation == .peer("bob") && got?.conversation == .peer("ada"))
            try await Self.wait(bob, "the list") { try await $0.totalUnread() == 1 }
            let listed = try #require(try await bob.conversations().first)
            #expect(listed.ref == .peer("ada") && listed.name == "Ada" && listed.unread == 1)
            #expect(listed.lastMessage?.text == "hello" && listed.notification == .notify)
            try await Self.wait(ada, "one's own list") {
                try await $0.conversations().first?.lastMessage?.id == written.id
            }
            #expect(try await ada.totalUnread() == 0)
            #expect(try await ada.store.outgoing().isEmpty)

            try await bob.clearUnread(of: .peer("ada"))
            try await Self.wait(bob, "nothing unread") { try await $0.totalUnread() == 0 }
            try await bob.setNotification(.doNotDisturb, of: .peer("ada"))
            let quiet = bob.events
            try await ada.send("are you there?", to: .peer("bob"))
            _ = await first(of: quiet, "the message", Self.received("are you there?"))
            try await Self.wait(bob, "its count") { try await $0.conversations().first?.unread == 1 }
            #expect(try await bob.totalUnread() == 0)
            while let event = bobs.poll() {
                if case .notification(let message) = event { #expect(message.text == "hello") }
            }
            await ada.disconnect()
            await bob.disconnect()
        }
    }

    @Test("CHT-4 CHT-5 CHT-9 a client reads the list and history of its time offline, each message once")
    func away() async throws {
        try await RelayUnderTest.run { relay in
            let store = try ConversationStore()
            let bob = try await Self.client("bob", relay, store: store)
            try await bob.connect()
            await bob.disconnect()
            let ada = try await Self.client("ada", relay)
            try await ada.connect()
            let adas = ada.events
            for number in 1...30 { try await ada.send("\(number)", to: .peer("bob")) }
            _ = await first(of: adas, within: 40, "the last one", Self.sent("30"))
            let again = try await Self.client("bob", relay, store: store)
            try await again.connect()
            // The client has synchronised when `connect` returns, so no wait is needed.
            #expect(try await again.totalUnread() == 30)
            let newest = try await again.history(of: .peer("ada"), count: 12)
            #expect(newest.messages.map(\.text) == (19...30).map { "\($0)" } && newest.hasMore && !newest.isOffline)
            let number = try #require(newest.messages.first?.number)
            let older = try await again.history(of: .peer("ada"), before: number, count: 50)
            #expect(older.messages.map(\.text) == (1...18).map { "\($0)" } && !older.hasMore)
            let later = try await again.history(
                of: .peer("ada"), after: try #require(older.messages.last?.number), count: 5)
            #expect(later.messages.map(\.text) == (19...23).map { "\($0)" })
            #expect(try await again.history(of: .peer("nobody")).messages.isEmpty)
            await again.disconnect()
            // Without a connection the store serves the whole history.
            let offline = try await again.history(of: .peer("ada"), count: 100)
            #expect(offline.messages.count == 30 && !offline.hasMore && !offline.isOffline)
            #expect(try await again.conversations().map(\.id) == ["ada"])
            #expect(await Self.code { try await again.clearUnread(of: .peer("ada")) } == .notConnected)
            await ada.disconnect()
        }
    }

    @Test("CHT-9 messages written without a connection are queued, and sent after reconnecting, in order, once")
    func waits() async throws {
        try await RelayUnderTest.run { relay in
            let proxy = try await TCPProxy.start(to: relay.port)
            let ada = try await Self.client("ada", relay, url: "http://127.0.0.1:\(proxy.port)")
            let bob = try await Self.client("bob", relay)
            try await bob.connect()
            let bobs = bob.events
            // Messages are written before the first connection and during several connection losses.
            try await ada.send("0", to: .peer("bob"))
            #expect(try await ada.store.outgoing().count == 1)
            try await ada.connect()
            let adas = ada.events
            for number in 1...24 {
                if number % 6 == 0 { proxy.cut() }
                try await ada.send("\(number)", to: .peer("bob"))
            }
            _ = await first(of: adas, within: 60, "the last one", Self.sent("24"))
            let heard = NIOLockedValueBox<[String]>([])
            _ = await first(of: bobs, "all of them") { event -> Bool? in
                guard case .messageReceived(let message) = event else { return nil }
                return heard.withLockedValue { heard in
                    heard.append(message.text)
                    return heard.count == 25 ? true : nil
                }
            }
            #expect(heard.withLockedValue { $0 } == (0...24).map { "\($0)" })
            let all = try await bob.history(of: .peer("ada"), count: 100).messages
            #expect(all.map(\.text) == (0...24).map { "\($0)" })
            #expect(try await ada.history(of: .peer("bob"), count: 100).messages.map(\.id) == all.map(\.id))
            #expect(try await ada.store.outgoing().isEmpty)
            await ada.disconnect()
            await bob.disconnect()
            await proxy.stop()
        }
    }

    @Test("CHT-2 CHT-10 a group is created, a member is invited, writes and leaves, and the group is dismissed")
    func groups() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await Self.client("ada", relay)
            let bob = try await Self.client("bob", relay)
            let cleo = try await Self.client("cleo", relay)
            for client in [ada, bob, cleo] { try await client.connect() }
            let (bobs, cleos) = (bob.events, cleo.events)
            let group = try await ada.createGroup("Team", members: ["bob"])
            #expect(group.owner == "ada" && group.members == ["ada", "bob"])
            _ = await first(of: bobs, "the group") { event -> Bool? in
                if case .groupChanged(let told) = event { return told.id == group.id && told.size == 2 }
                return nil
            }
            #expect(await Self.code { _ = try await cleo.group(group.id) } == .unknownGroup)
            try await ada.send("welcome", to: .group(group.id))
            let got = await first(of: bobs, "the message", Self.received("welcome"))
            #expect(got?.conversation == .group(group.id) && got?.from == "ada")
            let larger = try await bob.invite(["cleo"], to: group.id)
            #expect(larger.members == ["ada", "bob", "cleo"])
            try await cleo.send("hi all", to: .group(group.id))
            _ = await first(of: bobs, "Cleo's message", Self.received("hi all"))
            // An invited member sees the conversation from its invitation on.
            try await Self.wait(cleo, "the conversation") {
                try await $0.conversations().contains { $0.ref == .group(group.id) && $0.name == "Team" }
            }
            #expect(try await cleo.history(of: .group(group.id)).messages.map(\.text) == ["hi all"])
            try await bob.leaveGroup(group.id)
            try await Self.wait(bob, "the end of the conversation") { try await $0.conversations().isEmpty }
            #expect(await Self.code { try await cleo.dismissGroup(group.id) } == .notPermitted)
            try await ada.dismissGroup(group.id)
            _ = await first(of: cleos, "the end of the group") { event -> Bool? in
                event == .groupDismissed(group.id) ? true : nil
            }
            // A message to an unknown group is refused, and does not delay messages to others.
            let adas = ada.events
            try await ada.send("anybody?", to: .group(group.id))
            try await ada.send("to you", to: .peer("bob"))
            let refused = await first(of: adas, "the refusal") { event -> ErrorCode? in
                if case .messageRefused(_, let error) = event { return error.code }
                return nil
            }
            #expect(refused == .unknownGroup)
            _ = await first(of: bobs, "the next message", Self.received("to you"))
            #expect(
                await Self.code { try await ada.send(String(repeating: "x", count: 8_193), to: .peer("bob")) }
                    == .textTooLong)
            for client in [ada, bob, cleo] { await client.disconnect() }
        }
    }

    @Test("CHT-8 a deleted conversation leaves the list, and returns with a new message")
    func deletes() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await Self.client("ada", relay)
            let bob = try await Self.client("bob", relay)
            // Second device of the same user.
            let tablet = try await Self.client("bob", relay)
            for client in [ada, bob, tablet] { try await client.connect() }
            let bobs = bob.events
            try await ada.send("one", to: .peer("bob"))
            _ = await first(of: bobs, "the message", Self.received("one"))
            for device in [bob, tablet] {
                try await Self.wait(device, "the list") { try await $0.totalUnread() == 1 }
            }
            try await tablet.deleteConversation(.peer("ada"), onThisDeviceOnly: true)
            #expect(try await tablet.conversations().isEmpty)
            #expect(try await tablet.totalUnread() == 0)
            #expect(try await bob.conversations().count == 1)
            try await bob.deleteConversation(.peer("ada"))
            try await Self.wait(bob, "the end of the conversation") { try await $0.conversations().isEmpty }
            #expect(try await bob.totalUnread() == 0)
            #expect(try await bob.history(of: .peer("ada")).messages.map(\.text) == ["one"])
            try await ada.send("two", to: .peer("bob"))
            for device in [bob, tablet] {
                try await Self.wait(device, "the conversation's return") {
                    try await $0.conversations().first?.lastMessage?.text == "two"
                }
            }
            // A new message arrives before one device has reconnected.
            await tablet.disconnect()
            try await bob.deleteMessages(of: .peer("ada"))
            try await Self.wait(bob, "one's own messages") {
                try await $0.history(of: .peer("ada")).messages.isEmpty
            }
            try await ada.send("three", to: .peer("bob"))
            try await Self.wait(bob, "the new message") {
                try await $0.history(of: .peer("ada")).messages.map(\.text) == ["three"]
            }
            try await tablet.connect()
            #expect(try await tablet.history(of: .peer("ada")).messages.map(\.text) == ["three"])
            for client in [ada, bob, tablet] { await client.disconnect() }
        }
    }

    @Test("CHT-2 CHT-9 conversations work over the connection of a session, across its losses")
    func inSession() async throws {
        try await RelayUnderTest.run { relay in
            let proxy = try await TCPProxy.start(to: relay.port)
            let session = try await relay.join("ada", canHost: true, url: "http://127.0.0.1:\(proxy.port)")
            let ada = MessagingClient(session: session, store: try ConversationStore())
            try await ada.connect()
            let bob = try await Self.client("bob", relay)
            try await bob.connect()
            let (adas, bobs) = (ada.events, bob.events)
            try await ada.send("from a session", to: .peer("bob"))
            let got = await first(of: bobs, "the message", Self.received("from a session"))
            #expect(got?.from == "ada")
            proxy.cut()
            _ = await first(of: adas, "the loss") { $0 == .statusChanged(.reconnecting) ? true : nil }
            try await bob.send("meanwhile", to: .peer("ada"))
            _ = await first(of: adas, "the return") { $0 == .statusChanged(.connected) ? true : nil }
            try await Self.wait(ada, "what was missed") {
                try await $0.conversations().first?.lastMessage?.text == "meanwhile"
            }
            #expect(try await ada.history(of: .peer("bob")).messages.map(\.text) == ["from a session", "meanwhile"])
            // A session has at most one messaging client; a second one is refused and does not disconnect the first.
            do {
                let second = MessagingClient(session: session, store: try ConversationStore())
                #expect(await Self.code { try await second.connect() } == .alreadyJoined)
            }
            try await ada.send("still there", to: .peer("bob"))
            _ = await first(of: bobs, "the next message", Self.received("still there"))
            await ada.disconnect()
            #expect(session.status == .connected)
            try await ada.connect()
            let last = ada.events
            await session.disconnect()
            _ = await first(of: last, "the end with the session") { $0 == .statusChanged(.failed) ? true : nil }
            await bob.disconnect()
            await proxy.stop()
        }
    }

    private final class Listener: MessagingDelegate {
        let calls: AsyncStream<String>
        private let noting: AsyncStream<String>.Continuation

        init() { (calls, noting) = AsyncStream.makeStream() }

        func messaging(_ client: MessagingClient, received message: Message) {
            noting.yield("received \(message.text)")
        }
        func messaging(_ client: MessagingClient, notifiedOf message: Message) {
            noting.yield("notified \(message.text)")
        }
        func messaging(_ client: MessagingClient, totalUnread: Int) { noting.yield("unread \(totalUnread)") }
        func messaging(
            _ client: MessagingClient, added: [Conversation], updated: [Conversation], deleted: [ConversationRef]
        ) {
            noting.yield("changed \(added.map(\.id)) \(updated.map(\.id)) \(deleted.map(\.id))")
        }
    }

    @Test("CHT-5 a delegate receives the same events", .timeLimit(.minutes(1))) func delegate() async throws {
        try await RelayUnderTest.run { relay in
            let ada = try await Self.client("ada", relay)
            let bob = try await Self.client("bob", relay)
            for client in [ada, bob] { try await client.connect() }
            let listener = Listener()
            bob.add(listener, on: .main)
            try await ada.send("hello", to: .peer("bob"))
            var missing: Set = ["received hello", "notified hello", "unread 1", "changed [\"ada\"] [] []"]
            for await call in listener.calls {
                missing.remove(call)
                if missing.isEmpty { break }
            }
            for client in [ada, bob] { await client.disconnect() }
        }
    }

    @Test("CON-5 CHT-2 a client without a user identity is refused conversations") func strangers() async throws {
        try await RelayUnderTest.run { relay in
            let nobody = MessagingClient(
                url: relay.url, token: try await relay.token(), store: try ConversationStore())
            #expect(await Self.code { try await nobody.connect() } == .identityMissing)
            #expect(nobody.status == .failed)
            let eve = MessagingClient(
                url: relay.url, token: try await relay.token(identity: "eve") + "x", store: try ConversationStore())
            #expect(await Self.code { try await eve.connect() } == .tokenBadSignature)
        }
    }
}
