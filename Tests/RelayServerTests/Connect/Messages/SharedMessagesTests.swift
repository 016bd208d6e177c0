import ControlServer
import Foundation
import MillraceTestKit
import NIOWebSocket
import Persistence
import Signaling
import Testing

/// Two relays that share conversations in a PostgreSQL database.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct SharedMessagesTests {
    /// Runs `body` against two relays with one database.
    private func withRelays(
        _ body: (_ a: ConnectFixture, _ b: ConnectFixture, _ sql: (String) throws -> Void) async throws -> Void
    ) async throws {
        let server = try PostgresServer.shared.get()
        let name = try server.makeDatabase()
        func open() throws -> MessageDatabase {
            let database = try MessageDatabase(
                StorageConfiguration(url: server.url(name)),
                wallClock: { Int64(Date().timeIntervalSince1970 * 1_000) })
            try database.probe()
            return database
        }
        let first = try open(), second = try open()
        defer { for database in [first, second] { database.close() } }
        try await withConnect(storage: .open(first)) { a in
            try await withConnect(storage: .open(second)) { b in
                try await body(a, b) { try server.sql($0, database: name) }
            }
        }
    }

    @Test("CLU-4 a message through one relay reaches users of the other, with list, total and notification")
    func delivered() async throws {
        try await withRelays { a, b, _ in
            let ada = try await a.login("ada"), bob = try await b.login("bob"), adaToo = try await b.login("ada")
            let sent = try await ada.send("hello", to: .peer("bob")).get()
            for client in [bob, adaToo] {
                guard case .messageReceived(let body) = try await client.nextMessaging(.messageReceived) else {
                    continue
                }
                #expect(
                    body.message.text == "hello" && body.message.from == "ada" && body.message.number == sent.number)
            }
            guard case .totalUnreadChanged(let total) = try await bob.nextMessaging(.totalUnreadChanged) else { return }
            #expect(total.total == 1)
            #expect(try await bob.list().totalUnread == 1)
            _ = try await bob.request(ClearUnreadRequest(conversation: .peer("ada"))).get()
            let answer = try await bob.send("hi", to: .peer("ada")).get()
            #expect(answer.number == sent.number + 1)
            #expect(try await adaToo.texts(.peer("bob")) == ["hello", "hi"])
        }
    }

    @Test("CLU-4 users of a relay that missed events lose their connections, and read all after a new login")
    func missed() async throws {
        try await withRelays { a, b, sql in
            let ada = try await a.login("ada"), bob = try await b.login("bob")
            _ = try await ada.send("one", to: .peer("bob")).get()
            _ = try await bob.nextMessaging(.messageReceived)
            // Stands for the removal of the announcements of many commits.
            try sql(
                """
                UPDATE millrace_messages.announcements SET last = last + 100, removed = last + 100;
                NOTIFY millrace_messages
                """)
            #expect(try await bob.closing().reason == DisconnectReason.networkLost.rawValue)
            let again = try await b.login("bob")
            #expect(try await again.texts(.peer("ada")) == ["one"])
            let adaAgain = try await a.login("ada")
            _ = try await adaAgain.send("two", to: .peer("bob")).get()
            guard case .messageReceived(let body) = try await again.nextMessaging(.messageReceived) else { return }
            #expect(body.message.text == "two")
        }
    }
}
