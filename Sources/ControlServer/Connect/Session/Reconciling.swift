import MediaBase

/// Recovery of a session from lost events of the media engine.
struct Reconciling {
    /// Pause between tries while the engine is too busy to answer.
    private static let pause = MediaTime.milliseconds(200)

    /// Whether a try is under way.
    private(set) var isAsking = false
    /// Whether events were missed since the try began.
    private var isOutdated = false
    /// Time of the next try.
    private(set) var deadline = MediaTime.never

    /// Notes that events were missed.
    mutating func missed(now: MediaTime) {
        if isAsking { isOutdated = true } else { deadline = now }
    }

    /// Returns whether a try is due, and begins it.
    mutating func beginIfDue(now: MediaTime) -> Bool {
        guard !isAsking, deadline <= now else { return false }
        deadline = .never
        isAsking = true
        isOutdated = false
        return true
    }

    /// Ends a try.
    /// - Parameter isBusy: whether the engine was too busy to answer.
    mutating func ended(isBusy: Bool, now: MediaTime) {
        isAsking = false
        if isBusy { deadline = now + Self.pause } else if isOutdated { deadline = now }
    }
}
