import Cluster
package import MediaBase

/// Counters of a relay's membership in its cluster, since its start.
package struct ClusterCounts: Hashable, Sendable {
    /// Requests that the store answered.
    package var storeRequests = 0
    package var storeFailures = 0
    /// Duration of the last heartbeat.
    package var beatTime = MediaTime.zero
    /// Answers to clients that asked for a home relay: this relay, another one, or none.
    package var resolvedHere = 0
    package var resolvedThere = 0
    package var unresolved = 0
    /// Sessions that another relay took over while they ran here.
    package var superseded = 0

    mutating func note(_ resolution: Resolution) {
        switch resolution {
        case .here: resolvedHere += 1
        case .there: resolvedThere += 1
        case .unavailable, .unknown: unresolved += 1
        }
    }
}
