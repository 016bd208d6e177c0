import MediaBase

/// Packets that could not be sent on one path. Exists only for paths that have dropped packets.
package struct PathDrops: Sendable {
    /// Counts since the path was opened.
    package internal(set) var counts = SendDropCounts()
    /// Media packets and their bytes since `Router.takeDrops` last returned the path.
    var newPackets = 0
    var newBytes = 0

    /// Minimum time between two key frame requests for this path. It doubles while the path keeps dropping, so that a path that takes no
    /// packets does not make the publisher send key frames to all subscribers.
    static let shortestWait = MediaTime.milliseconds(500)
    static let longestWait = MediaTime.seconds(8)
    /// After this time without a request, the wait returns to the shortest.
    static let calm = MediaTime.seconds(20)
    private var wait = PathDrops.shortestWait
    private var requestedAt: MediaTime?
    /// True if a request is delayed until `mayRequest(now:)` returns true.
    var isRequestHeld = false

    init() {}

    /// Returns whether a key frame may be requested for the path again.
    func mayRequest(now: MediaTime) -> Bool { requestedAt.map { now >= $0 + wait } ?? true }

    /// Records that a key frame was requested for the path.
    mutating func requested(now: MediaTime) {
        if let requestedAt {
            wait = now - requestedAt > Self.calm ? Self.shortestWait : min(wait + wait, Self.longestWait)
        }
        requestedAt = now
    }
}
