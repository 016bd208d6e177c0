import MediaBase
import Signaling

/// Pending joins and leaves that clients have not been notified of: each participant once, with its latest change.
struct PresenceChanges: Sendable {
    enum Change: Hashable, Sendable {
        /// Listed from now on.
        case joined
        case left(DisconnectReason)
        /// Still in the session, but only counted from now on.
        case unlisted
    }

    /// In the order of each user's first change.
    private var users: [ConnectionID] = []
    private var changes: [ConnectionID: Change] = [:]
    /// Time when the changes are announced; nil if there are none.
    private(set) var due: MediaTime?

    /// Returns whether clients have not been notified of the participant's join yet.
    func isJoining(_ user: ConnectionID) -> Bool { changes[user] == .joined }

    /// - Parameters:
    ///   - change: nil if only the number of participants changed.
    ///   - due: latest time of the event that announces it.
    mutating func note(_ user: ConnectionID, _ change: Change?, due: MediaTime) {
        if let change, changes.updateValue(change, forKey: user) == nil { users.append(user) }
        self.due = min(self.due ?? due, due)
    }

    /// - Returns: nil if no event is due.
    mutating func take(now: MediaTime) -> [(user: ConnectionID, change: Change)]? {
        guard let due, due <= now else { return nil }
        defer { self = PresenceChanges() }
        return users.compactMap { user in changes[user].map { (user, $0) } }
    }
}
