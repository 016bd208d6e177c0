import Foundation
public import Signaling

/// The chat of a session: to everybody in the room that one is in (the main session or a subsession), or to one of them. It is not
/// kept: who comes later does not get it. Messages that are kept are those of `MessagingClient`.
public struct SessionChat: Sendable {
    /// Events that wait for a reader at most.
    static let eventLimit = 1_024

    private let core: SessionCore

    init(core: SessionCore) { self.core = core }

    /// The host has not switched it off.
    public var isAllowed: Bool { core.board.snapshot.model.isChatAllowed }

    /// A reader of what comes from now on. `Session.events` and delegates tell the same, in order with everything else.
    public var events: Feed<ChatEvent> { core.board.chatEvents.feed(limit: Self.eventLimit) }

    /// Writes to everybody in the room, or to one of them.
    ///
    /// Waits while the connection comes back, if that was lost before the answer came: the message is then sent again by itself, and said once.
    /// A connection that is made anew under another id takes it where its token names a user, in the main session of the same session.
    /// - Parameters:
    ///   - text: 1 byte to 8 KiB of UTF-8.
    ///   - user: nil: everybody in the room, oneself included.
    ///   - id: 1 to 64 printable ASCII characters, new for each message of this user; nil: one is made. Who sends a message again that has
    ///     failed with `notConnected`, and does so with its first id, cannot say it twice.
    /// - Throws: `chatDisabled`, `textTooLong`, `unknownUser` for somebody who is in another room, `rateLimited`, `notConnected`;
    ///   `invalidField` for an `id` that is that of another message.
    /// - Returns: the message's id, which its event has as well.
    @discardableResult
    public func send(
        _ text: String, to user: ConnectionID? = nil, id: String? = nil
    ) async throws(SessionError) -> ChatMessageID {
        let request = ChatRequest(text: text, to: user, id: id ?? UUID().uuidString)
        if let objection = request.objection { throw SessionError(objection) }
        return try await core.request(request).message
    }

    /// Switches it off or on for everybody; for the host.
    /// - Throws: `notPermitted` for whoever is not host, `notConnected`.
    public func setAllowed(_ isAllowed: Bool) async throws(SessionError) {
        try await core.request(SetChatAllowedRequest(isAllowed: isAllowed))
    }
}
