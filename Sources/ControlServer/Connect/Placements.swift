import MediaEngine

/// Moves of clients' peers that the engine has not received yet. One call runs at a time; moves that arrive during it go into the next.
struct Placements {
    /// Room in the engine to which each peer moves last.
    var waiting: [TransportID: String] = [:]
    var isUnderWay = false
    /// Callers that continue once the moves in `waiting` are done.
    var waiters: [CheckedContinuation<Void, Never>] = []
}
