public import Signaling

/// Consecutive messages of a conversation.
public struct HistoryPage: Hashable, Sendable {
    /// Messages in ascending order of their numbers, whichever direction was requested.
    public var messages: [Message]
    /// Whether more messages are known to exist in the requested direction.
    public var hasMore: Bool
    /// Whether the page comes from the local store only, because the relay could not be reached. Messages may then be missing at the
    /// far end of the page, and also at the near end if the reference message is not in the store.
    public var isOffline: Bool
}
