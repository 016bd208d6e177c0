import MediaBase
import Signaling

/// Joins and leaves that clients have not been told of yet, each user once with its latest change.
struct PresenceChanges: Sendable {
    enum Change: Hashable, Sendable {
        /// Listed from now on.
        case joined
        case left(DisconnectReason)
        /// Still there, and only counted from now on.
        case unlisted
    }

    /// In the order of each user's first change.
    private var users: [ConnectionID] = []
    private var changes: [ConnectionID: Change] = [:]
    /// When they are told; nil while there are none.
    private(set) var due: MediaTime?

    /// Whether clients have not been told yet that the user is there.
    func isJoining(_ user: ConnectionID) -> Bool { changes[user] == .joined }

    /// - Parameters:
    ///   - change: nil: only the number of users changed.
    ///   - due: latest time of the event that tells it.
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
