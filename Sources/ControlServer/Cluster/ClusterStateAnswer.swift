/// Answer of `GET /cluster/state` on the listener of links, as JSON.
package struct ClusterStateAnswer: Codable, Sendable {
    package static let path = "/cluster/state"

    /// Whether the relay holds its lease, and so reaches the store.
    package var reachesStore: Bool
}
