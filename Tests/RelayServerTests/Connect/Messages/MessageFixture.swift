import ControlServer
import Foundation
import MillraceTestKit
import Persistence
import Signaling
import Testing

extension MessageHubConfiguration {
    /// Configuration without effective rate limits of users, for tests that send fast.
    static var withoutUserRates: MessageHubConfiguration {
        var configuration = MessageHubConfiguration()
        configuration.limits.userMessagesPerSecond = 100_000
        configuration.limits.userRequestsPerSecond = 100_000
        return configuration
    }
}

/// Runs `body` against a control server with its own message store.
func withMessages(
    _ configuration: MessageHubConfiguration = MessageHubConfiguration(),
    _ configure: (inout ControlConfiguration) -> Void = { _ in }, _ body: (ConnectFixture) async throws -> Void
) async throws {
    let folder = TemporaryFolder()
    let database = try MessageDatabase(
        StorageConfiguration(directory: folder.path), limits: configuration.limits,
        wallClock: { Int64(Date().timeIntervalSince1970 * 1_000) })
    defer { database.close() }
    try await withConnect(storage: .open(database), messages: configuration, configure, body)
}

extension ConnectFixture {
    /// Opens a socket that is logged in and in no session.
    func login(_ user: String, app: String = "app") async throws -> SocketClient {
        let client = try await connect()
        let token = TestToken(app: app, identity: user)
        let answer = try await client.request(LoginRequest(token: token.text)).get()
        try #require(answer.user == user)
        return client
    }
}

extension SocketClient {
    func send(
        _ text: String, to ref: ConversationRef, id: String = UUID().uuidString
    ) async throws -> Result<SendMessageRequest.Answer, SignalingError> {
        try await request(SendMessageRequest(conversation: ref, message: id, text: text))
    }

    func list() async throws -> ConversationsRequest.Answer {
        try await request(ConversationsRequest(count: 100)).get()
    }

    func texts(_ ref: ConversationRef) async throws -> [String] {
        try await request(HistoryRequest(conversation: ref, count: 100)).get()
            .messages.map(\.text)
    }

    /// Returns the next messaging event with that name.
    func nextMessaging(_ name: EventName) async throws -> MessagingEvent {
        guard case .messaging(let event) = try await next(name) else { throw TimedOut(description: "\(name)") }
        return event
    }
}
