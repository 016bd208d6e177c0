package import Signaling

/// Changed state of a session.
package struct SessionChanges: Hashable, Sendable {
    /// Nil: unchanged.
    package var essence: String?
    /// Nil: the client is gone.
    package var seats: [ConnectionID: String?]

    package var isEmpty: Bool { essence == nil && seats.isEmpty }

    package init(essence: String? = nil, seats: [ConnectionID: String?] = [:]) {
        self.essence = essence
        self.seats = seats
    }
}
