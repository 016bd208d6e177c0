package import MediaBase

/// Times and limits of a relay's membership in its cluster.
package struct ClusterSettings: Hashable, Sendable {
    /// Duration of a lease (`cluster.ttlSeconds`): a relay whose heartbeats stop for this long has lost its sessions.
    package var leaseTime = MediaTime.seconds(5)
    /// Time between heartbeats.
    package var beatInterval = MediaTime.seconds(1)
    /// Part of the lease at its end in which the relay no longer acts under it, because clocks do not run equally fast.
    package var leaseMargin = MediaTime.milliseconds(500)
    /// Silence after which a relay no longer counts for the majority of the cluster.
    package var forgetTime = MediaTime.seconds(60)
    /// Use of a relay's cores above which it prefers another home relay for a new session.
    package var busyUse = 0.7
    /// Time from a claim to the first client; a session without one ends.
    package var openTime = MediaTime.seconds(30)
    /// Maximum number of remembered placements of sessions at other relays.
    package var placements = 100_000
    /// Maximum number of clients that wait for a placement.
    package var waiting = 10_000

    package init() {}
}
