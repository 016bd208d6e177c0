package import Cluster

/// State of a relay's membership in its cluster at one time.
package struct ClusterStatus: Sendable {
    package var isMember: Bool
    /// Whether the relay may run the rules of its sessions.
    package var acts: Bool
    /// Relays of the cluster, as of the last heartbeat.
    package var relays: [RelayRecord]
    /// Number of sessions whose home relay is this one.
    package var sessions: Int
    package var counts: ClusterCounts
}
