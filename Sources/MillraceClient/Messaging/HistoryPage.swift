public import Signaling

/// Some messages of a conversation that follow each other.
public struct HistoryPage: Hashable, Sendable {
    /// In ascending order of their numbers, whichever way one goes.
    public var messages: [Message]
    /// There are more in the direction that one goes, as far as is known.
    public var hasMore: Bool
    /// Read from the local store alone because the relay could not be asked: it may lack some at its far end, and at its near end where
    /// the message that it is next to is not in the store.
    public var isOffline: Bool
}
