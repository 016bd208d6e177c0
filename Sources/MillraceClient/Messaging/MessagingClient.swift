public import Signaling

/// A user's conversations with other users and in groups, stored by the relay and independent of sessions.
///
/// Lists and messages are read from a local store, so they are available without a connection. The client keeps the store synchronized with
/// the relay; after each reconnection it reads the missed changes. Outgoing messages stay in the store until the relay has them on disk;
/// after a connection loss they are sent again, and the relay stores each once.
///
/// ```swift
/// let client = MessagingClient(url: "https://relay.example", token: token, store: try ConversationStore(path: path))
/// try await client.connect(name: "Ada")
/// try await client.send("Hello", to: .peer("bob"))
/// for conversation in try await client.conversations() { … }
/// ```
public final class MessagingClient: Sendable {
    /// Local store from which lists are read.
    public let store: ConversationStore
    private let core: MessagingCore
    private let board = MessagingBoard()
    private let configuration: MessagingConfiguration

    /// Creates a client with a connection of its own, outside of any session.
    /// - Parameters:
    ///   - url: URL of the relay: `https://`, `http://`, `wss://` or `ws://`.
    ///   - token: token of the user: a session token with an identity, for any session.
    public init(
        url: String, token: String, store: ConversationStore,
        configuration: MessagingConfiguration = MessagingConfiguration()
    ) {
        self.store = store
        self.configuration = configuration
        core = MessagingCore(
            link: DirectLink(url: url, token: token, configuration: configuration), store: store,
            configuration: configuration, board: board)
    }

    /// Creates a client that uses the connection of a session, as the user named in the session's token. The client fails together with the
    /// session, with the same error, or with `notConnected` if the session was left; after that, `connect(name:)` can be called again. Only
    /// one client can use a session's connection at a time.
    public init(
        session: Session, store: ConversationStore, configuration: MessagingConfiguration = MessagingConfiguration()
    ) {
        self.store = store
        self.configuration = configuration
        core = MessagingCore(
            link: SessionLink(core: session.core), store: store, configuration: configuration, board: board)
    }

    deinit { core.abandon() }

    // MARK: connection

    /// State of the connection. `connected` means synchronized: the store contains all changes of the relay.
    public var status: SessionStatus { board.snapshot.status }
    /// Id of the local user, known since the first login.
    public var user: String? { board.snapshot.user }

    /// Logs in, and reads the changes since the last connection. An application need not wait for it: the store can be read and messages
    /// can be sent before.
    /// - Parameter name: display name in other users' conversations with this user, at most 200 characters; nil leaves it unchanged.
    /// - Throws: the relay's reason for refusing the user, such as `identityMissing`, `messagingDisabled` or `tokenExpired`;
    ///   `alreadyJoined` if the client is connected or connecting, or if another client uses the session's connection; `notConnected` if
    ///   the session is not connected, or if `disconnect()` was called while connecting; `invalidField` for an invalid URL or an unreadable
    ///   certificate file; `storageFailed` if the store cannot be written. A relay that cannot be reached is not an error: the client keeps
    ///   trying.
    public func connect(name: String? = nil) async throws(SessionError) { try await core.connect(name: name) }

    /// Ends conversations on this client. A session whose connection it uses stays connected.
    public func disconnect() async { await core.disconnect() }

    /// A new reader of all events from now on. A reader that falls behind by more than `MessagingConfiguration.eventLimit` events loses the
    /// oldest ones, which `dropped` counts; the store loses nothing.
    public var events: Feed<ConversationEvent> { board.events.feed(limit: configuration.eventLimit) }

    /// Adds a delegate, which is held weakly and receives all events from now on. At most 16 delegates are supported; further ones receive
    /// no events.
    /// - Parameter executor: executor on which the delegate's methods run.
    public func add(_ delegate: some MessagingDelegate, on executor: DelegateExecutor) {
        let (listener, client) = (WeakBox(delegate), WeakBox(self))
        board.add(
            DelegateSeat(on: executor, limit: configuration.eventLimit, isThere: { listener.object != nil }) { event in
                guard let listener = listener.object, let client = client.object else { return }
                listener.messaging(client, didReceive: event)
            })
    }

    /// Removes all delegates.
    public func removeDelegates() { board.removeDelegates() }

    // MARK: messages

    /// Queues a message. When the call returns, the message is stored on this device; it is sent as soon as possible. `messageSent` or
    /// `messageRefused` follows, possibly after a restart of the program.
    /// - Parameters:
    ///   - text: 1 byte to 8 KiB of UTF-8.
    ///   - conversation: any user of the same app, or a group that the local user is a member of.
    /// - Throws: `textTooLong`; `limitReached` if `MessagingConfiguration.outgoingLimit` messages are queued.
    @discardableResult
    public func send(
        _ text: String, to conversation: ConversationRef
    ) async throws(SessionError) -> OutgoingMessage {
        try await core.send(text, to: conversation)
    }

    /// Returns the newest messages of a conversation, or those before a given message. Messages missing in the store are read from the
    /// relay.
    /// - Parameters:
    ///   - number: number of a known message; nil for the newest messages.
    ///   - count: page size, 1 to 500.
    /// - Throws: the relay's error, such as `unknownGroup` or `rateLimited`, if the relay had to be asked; `storageFailed`. Without a
    ///   connection the call does not throw: the page contains the stored messages, and `isOffline` is true.
    public func history(
        of conversation: ConversationRef, before number: Int64? = nil, count: Int = 50
    ) async throws(SessionError) -> HistoryPage {
        try await core.history(of: conversation, before: number, count: min(max(1, count), 500))
    }

    /// Returns the messages of a conversation after a given message.
    /// - Parameters:
    ///   - number: number of a known message, or 0 to begin with the first message.
    ///   - count: page size, 1 to 500.
    /// - Throws: the same errors as `history(of:before:count:)`.
    public func history(
        of conversation: ConversationRef, after number: Int64, count: Int = 50
    ) async throws(SessionError) -> HistoryPage {
        try await core.history(of: conversation, after: number, count: min(max(1, count), 500))
    }

    /// Deletes all present messages of a conversation for the local user, on all devices. The store removes them with the
    /// `conversationsChanged` that follows.
    /// - Throws: `notConnected` while the client is not synchronized; `unknownConversation`; `unknownGroup`; `rateLimited`; `limitReached`
    ///   if `MessagingConfiguration.requestLimit` requests are pending.
    public func deleteMessages(of conversation: ConversationRef) async throws(SessionError) {
        try await core.deleteMessages(conversation)
    }

    // MARK: conversation list

    /// Returns a page of the conversation list, newest first, from the store.
    /// - Parameters:
    ///   - order: `order` of the last conversation of the previous page; nil to begin with the newest.
    ///   - count: maximum number of conversations.
    /// - Throws: `storageFailed`.
    public func conversations(before order: Int64? = nil, count: Int = 50) async throws(SessionError) -> [Conversation]
    {
        try await store.conversations(before: order, count: count)
    }

    /// Returns the number of unread messages in all conversations that are not muted, from the store.
    /// - Throws: `storageFailed`.
    public func totalUnread() async throws(SessionError) -> Int { try await store.totalUnread() }

    /// Sets the unread count of a conversation to 0, on all devices. The store changes with the `conversationsChanged` that follows.
    /// - Throws: the same errors as `deleteMessages(of:)`.
    public func clearUnread(of conversation: ConversationRef) async throws(SessionError) {
        try await core.clearUnread(conversation)
    }

    /// Mutes or unmutes a conversation, on all devices. The store changes with the `conversationsChanged` that follows.
    /// - Throws: the same errors as `deleteMessages(of:)`.
    public func setNotification(
        _ status: NotificationStatus, of conversation: ConversationRef
    ) async throws(SessionError) {
        try await core.setNotification(conversation, status)
    }

    /// Removes a conversation from the list. Its messages are kept, and a new message restores the conversation.
    /// - Parameter onThisDeviceOnly: if false, the relay removes the conversation on all devices, and the store changes with the
    ///   `conversationsChanged` that follows.
    /// - Throws: the same errors as `deleteMessages(of:)`; only `storageFailed` if `onThisDeviceOnly` is true.
    public func deleteConversation(
        _ conversation: ConversationRef, onThisDeviceOnly: Bool = false
    ) async throws(SessionError) {
        try await core.delete(conversation, onThisDeviceOnly: onThisDeviceOnly)
    }

    // MARK: groups

    /// Creates a group of the local user and others; a group has at most 500 members.
    /// - Parameters:
    ///   - name: 1 to 200 characters.
    ///   - members: user ids; the local user is added automatically.
    /// - Throws: `notConnected` while the client is not synchronized; `invalidField`; `groupFull`; `limitReached` if a member is in too
    ///   many groups; `rateLimited`.
    public func createGroup(_ name: String, members: [String]) async throws(SessionError) -> Group {
        try await core.request(CreateGroupRequest(name: name, members: members))
    }

    /// Returns a group of the local user, with its members.
    /// - Throws: `notConnected`, `unknownGroup`, `rateLimited`.
    public func group(_ id: String) async throws(SessionError) -> Group {
        try await core.request(GroupRequest(group: id))
    }

    /// Adds users to a group; they see its messages from then on.
    /// - Throws: the same errors as `createGroup(_:members:)`, and `unknownGroup`.
    @discardableResult
    public func invite(_ members: [String], to group: String) async throws(SessionError) -> Group {
        try await core.request(InviteToGroupRequest(group: group, members: members))
    }

    /// Leaves a group and removes its conversation from the list.
    /// - Throws: the same errors as `group(_:)`.
    public func leaveGroup(_ id: String) async throws(SessionError) {
        try await core.request(LeaveGroupRequest(group: id))
    }

    /// Ends a group for all members; only for its owner.
    /// - Throws: the same errors as `group(_:)`, and `notPermitted`.
    public func dismissGroup(_ id: String) async throws(SessionError) {
        try await core.request(DismissGroupRequest(group: id))
    }
}
