import Foundation
public import Signaling

/// Chat of a session. A message goes to all users in the same location (the main session or one subsession), or to one of them. The relay does
/// not store chat messages: a user who joins later does not receive earlier ones. For stored messages use `MessagingClient`.
public struct SessionChat: Sendable {
    /// Maximum number of events buffered for one reader.
    static let eventLimit = 1_024

    private let core: SessionCore

    init(core: SessionCore) { self.core = core }

    /// False if the host has switched the chat off.
    public var isAllowed: Bool { core.board.snapshot.model.isChatAllowed }

    /// A new reader of the chat's events from now on. `Session.events` and delegates deliver the same events, in order with all others.
    public var events: Feed<ChatEvent> { core.board.chatEvents.feed(limit: Self.eventLimit) }

    /// Sends a message to all users in the same location, or to one of them.
    ///
    /// If the connection is lost before the relay answers, the call waits for the reconnection and sends the message again; the relay
    /// delivers it once. If the client has to join again under a new connection id, it repeats the message only if the token names a user
    /// and the client was in the main session of the same session.
    /// - Parameters:
    ///   - text: 1 byte to 8 KiB of UTF-8.
    ///   - user: recipient; nil for all users in the same location, including the sender.
    ///   - id: 1 to 64 printable ASCII characters, unique among the messages of this user; nil generates one. An application that repeats a
    ///     message after `notConnected` passes the first attempt's id, so that the message cannot be delivered twice.
    /// - Throws: `chatDisabled`; `textTooLong`; `unknownUser` if the recipient is in another subsession or in none; `rateLimited`;
    ///   `notConnected`; `invalidField` if another message already has this `id`.
    /// - Returns: the id of the message, which its event carries as well.
    @discardableResult
    public func send(
        _ text: String, to user: ConnectionID? = nil, id: String? = nil
    ) async throws(SessionError) -> ChatMessageID {
        let request = ChatRequest(text: text, to: user, id: id ?? UUID().uuidString)
        if let objection = request.objection { throw SessionError(objection) }
        return try await core.request(request).message
    }

    /// Switches the chat on or off for all users; host only.
    /// - Throws: `notPermitted` if the local user is not the host; `notConnected`.
    public func setAllowed(_ isAllowed: Bool) async throws(SessionError) {
        try await core.request(SetChatAllowedRequest(isAllowed: isAllowed))
    }
}
