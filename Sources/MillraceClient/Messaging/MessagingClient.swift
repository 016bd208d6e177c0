public import Signaling

/// A user's conversations with others and in groups: messages that the relay keeps, in sessions and outside of them.
///
/// Lists and messages are read from a local store, so they are there without a connection as well. The store is kept in step with the
/// relay; what was missed while the client was away is read after each return. What is sent waits in the store until the relay has it on
/// disk, and is sent again after a loss, once.
///
/// ```swift
/// let client = MessagingClient(url: "https://relay.example", token: token, store: try ConversationStore(path: path))
/// try await client.connect(name: "Ada")
/// try await client.send("Hello", to: .peer("bob"))
/// for conversation in try await client.conversations() { … }
/// ```
public final class MessagingClient: Sendable {
    /// What lists are read from.
    public let store: ConversationStore
    private let core: MessagingCore
    private let board = MessagingBoard()
    private let configuration: MessagingConfiguration

    /// A client with a connection of its own, in no session.
    /// - Parameters:
    ///   - url: of the relay: `https://`, `http://`, `wss://` or `ws://`.
    ///   - token: of the user: a session token with an identity, for whatever session.
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

    /// A client that uses the connection of a session, as the user that the session's token names. It is there while the session is: it
    /// fails with what the session fails with, and with `notConnected` where the session was left; after that `connect(name:)` can be
    /// called again. One client uses a session's connection at a time.
    public init(
        session: Session, store: ConversationStore, configuration: MessagingConfiguration = MessagingConfiguration()
    ) {
        self.store = store
        self.configuration = configuration
        core = MessagingCore(
            link: SessionLink(core: session.core), store: store, configuration: configuration, board: board)
    }

    deinit { core.abandon() }

    // MARK: the connection

    /// `connected` means in step: all that the relay had is stored.
    public var status: SessionStatus { board.snapshot.status }
    /// One's own id, known since the first login.
    public var user: String? { board.snapshot.user }

    /// Logs in, and reads what changed. An application need not wait for it: the store can be read, and messages can be written, before.
    /// - Parameter name: that others see on their conversation with this user, at most 200 characters; nil leaves it as it is.
    /// - Throws: what the relay refused the user with, such as `identityMissing`, `messagingDisabled`, `tokenExpired`. A relay that
    ///   cannot be reached is no error: it is tried again. `alreadyJoined` where it is connected or about to be, or where another client
    ///   uses the session's connection; `notConnected` where the session is not connected, or after a `disconnect()` meanwhile;
    ///   `invalidField` for an address or a file of certificates that is none; `storageFailed` where the store takes nothing.
    public func connect(name: String? = nil) async throws(SessionError) { try await core.connect(name: name) }

    /// Of the session's connection nothing but conversations ends.
    public func disconnect() async { await core.disconnect() }

    /// A reader of all that happens from now on. One that falls behind by more than `MessagingConfiguration.eventLimit` loses the oldest
    /// events, counted in `dropped`; the store has lost nothing.
    public var events: Feed<ConversationEvent> { board.events.feed(limit: configuration.eventLimit) }

    /// Tells a delegate, which is held weakly, of all that happens from now on: 16 of them at most, further ones are told nothing.
    /// - Parameter executor: where its methods run.
    public func add(_ delegate: some MessagingDelegate, on executor: DelegateExecutor) {
        let (listener, client) = (WeakBox(delegate), WeakBox(self))
        board.add(
            DelegateSeat(on: executor, limit: configuration.eventLimit, isThere: { listener.object != nil }) { event in
                guard let listener = listener.object, let client = client.object else { return }
                listener.messaging(client, didReceive: event)
            })
    }

    /// No delegate is told of anything any more.
    public func removeDelegates() { board.removeDelegates() }

    // MARK: messages

    /// Writes a message. Returning means that it is stored on this device, and will be sent as soon as it can be: `messageSent` or
    /// `messageRefused` follows, maybe after the program was started again.
    /// - Parameters:
    ///   - text: 1 byte to 8 KiB of UTF-8.
    ///   - conversation: with any user of the same app, or a group that one is a member of.
    /// - Throws: `textTooLong`; `limitReached` where `MessagingConfiguration.outgoingLimit` messages wait already.
    @discardableResult
    public func send(
        _ text: String, to conversation: ConversationRef
    ) async throws(SessionError) -> OutgoingMessage {
        try await core.send(text, to: conversation)
    }

    /// Messages of a conversation, the newest or those before one. What the store lacks is read from the relay.
    /// - Parameters:
    ///   - number: of a message that one has; nil: the newest.
    ///   - count: 1 to 500.
    /// - Throws: what the relay answered where it was asked, such as `unknownGroup` or `rateLimited`; `storageFailed`. Without a connection
    ///   there is no error: the page has what the store has, and says so.
    public func history(
        of conversation: ConversationRef, before number: Int64? = nil, count: Int = 50
    ) async throws(SessionError) -> HistoryPage {
        try await core.history(of: conversation, before: number, count: min(max(1, count), 500))
    }

    /// Messages of a conversation after one.
    /// - Parameters:
    ///   - number: of a message, or 0: from the first one on.
    ///   - count: 1 to 500.
    /// - Throws: as `history(of:before:count:)`.
    public func history(
        of conversation: ConversationRef, after number: Int64, count: Int = 50
    ) async throws(SessionError) -> HistoryPage {
        try await core.history(of: conversation, after: number, count: min(max(1, count), 500))
    }

    /// Deletes all messages of a conversation that there are now, for oneself, on all devices. They leave the store with the
    /// `conversationsChanged` that follows.
    /// - Throws: `notConnected` while it is not in step, `unknownConversation`, `unknownGroup`, `rateLimited`, `limitReached` where
    ///   `MessagingConfiguration.requestLimit` requests wait already.
    public func deleteMessages(of conversation: ConversationRef) async throws(SessionError) {
        try await core.deleteMessages(conversation)
    }

    // MARK: the list

    /// A page of the list, newest first; from the store.
    /// - Parameters:
    ///   - order: that of the last conversation of the page before; nil: from the newest on.
    ///   - count: at most.
    /// - Throws: `storageFailed`.
    public func conversations(before order: Int64? = nil, count: Int = 50) async throws(SessionError) -> [Conversation]
    {
        try await store.conversations(before: order, count: count)
    }

    /// Unread messages of all conversations that are not muted; from the store.
    /// - Throws: `storageFailed`.
    public func totalUnread() async throws(SessionError) -> Int { try await store.totalUnread() }

    /// Sets the unread count of one conversation to 0, on all devices. The store has it with the `conversationsChanged` that follows.
    /// - Throws: as `deleteMessages(of:)`.
    public func clearUnread(of conversation: ConversationRef) async throws(SessionError) {
        try await core.clearUnread(conversation)
    }

    /// Mutes a conversation, or lifts that, on all devices. The store has it with the `conversationsChanged` that follows.
    /// - Throws: as `deleteMessages(of:)`.
    public func setNotification(
        _ status: NotificationStatus, of conversation: ConversationRef
    ) async throws(SessionError) {
        try await core.setNotification(conversation, status)
    }

    /// Takes a conversation off the list; its messages stay, and a new one brings it back.
    /// - Parameter onThisDeviceOnly: false: at the relay, and so on all devices; the store has it with the `conversationsChanged` that
    ///   follows.
    /// - Throws: as `deleteMessages(of:)`; on this device only, nothing but `storageFailed`.
    public func deleteConversation(
        _ conversation: ConversationRef, onThisDeviceOnly: Bool = false
    ) async throws(SessionError) {
        try await core.delete(conversation, onThisDeviceOnly: onThisDeviceOnly)
    }

    // MARK: groups

    /// Makes a group of oneself and others, at most 500.
    /// - Parameters:
    ///   - name: 1 to 200 characters.
    ///   - members: user ids; oneself need not be among them.
    /// - Throws: `notConnected` while it is not in step, `invalidField`, `groupFull`, `limitReached` where somebody is in too many groups,
    ///   `rateLimited`.
    public func createGroup(_ name: String, members: [String]) async throws(SessionError) -> Group {
        try await core.request(CreateGroupRequest(name: name, members: members))
    }

    /// A group that one is a member of, with its members.
    /// - Throws: `notConnected`, `unknownGroup`, `rateLimited`.
    public func group(_ id: String) async throws(SessionError) -> Group {
        try await core.request(GroupRequest(group: id))
    }

    /// Takes users into a group; they see its messages from then on.
    /// - Throws: as `createGroup(_:members:)`, and `unknownGroup`.
    @discardableResult
    public func invite(_ members: [String], to group: String) async throws(SessionError) -> Group {
        try await core.request(InviteToGroupRequest(group: group, members: members))
    }

    /// Leaves a group; its conversation leaves the list.
    /// - Throws: as `group(_:)`.
    public func leaveGroup(_ id: String) async throws(SessionError) {
        try await core.request(LeaveGroupRequest(group: id))
    }

    /// Ends a group for everybody; for its owner.
    /// - Throws: as `group(_:)`, and `notPermitted`.
    public func dismissGroup(_ id: String) async throws(SessionError) {
        try await core.request(DismissGroupRequest(group: id))
    }
}
