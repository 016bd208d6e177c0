package import Signaling

/// State of a session in the store, besides its placement. Only home relays know the format of the texts.
package struct StoredSession: Hashable, Sendable {
    package var essence: String?
    package var seats: [ConnectionID: String]

    package init(essence: String? = nil, seats: [ConnectionID: String] = [:]) {
        self.essence = essence
        self.seats = seats
    }
}
