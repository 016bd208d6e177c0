package import Signaling

/// Receivers of an event: all `connections` except `excluded`. Events to all clients share one array.
package struct Audience: Hashable, Sendable, Sequence {
    package var connections: [ConnectionID]
    package var excluded: ConnectionID?

    package init(_ connections: [ConnectionID], excluding excluded: ConnectionID? = nil) {
        self.connections = connections
        self.excluded = excluded
    }

    package func makeIterator() -> AnyIterator<ConnectionID> {
        var rest = connections.makeIterator()
        return AnyIterator {
            while let next = rest.next() { if next != excluded { return next } }
            return nil
        }
    }
}
