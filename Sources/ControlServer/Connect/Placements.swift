import MediaEngine

/// Where clients' peers are to be, as far as the engine has not been told: one call at a time, and what comes meanwhile goes with the next.
struct Placements {
    /// The last word on each peer.
    var waiting: [TransportID: String] = [:]
    var isUnderWay = false
    /// They go on once what is waiting now is done.
    var waiters: [CheckedContinuation<Void, Never>] = []
}
