import Cluster
import MediaBase

/// Other relays that a session has links to, and those to which a link was lost lately.
struct SessionEdges {
    /// Time after the loss of a link in which media of the other relay's clients opens at the home relay.
    private static let avoidTime = MediaTime.seconds(30)

    private(set) var linked: Set<RelayIdentity> = []
    /// Relays to which links were lost, with the times.
    private var lost: [RelayIdentity: MediaTime] = [:]

    func contains(_ edge: RelayIdentity) -> Bool { linked.contains(edge) }

    /// Returns whether a link to a relay was lost lately.
    func avoids(_ edge: RelayIdentity, now: MediaTime) -> Bool {
        lost[edge].map { now - $0 <= Self.avoidTime } ?? false
    }

    mutating func add(_ edge: RelayIdentity) { linked.insert(edge) }

    mutating func end(_ edge: RelayIdentity) { linked.remove(edge) }

    /// Ends a link that is broken, and avoids the relay for some time.
    mutating func lose(_ edge: RelayIdentity, now: MediaTime) {
        linked.remove(edge)
        lost = lost.filter { now - $0.value <= Self.avoidTime }
        lost[edge] = now
    }
}
