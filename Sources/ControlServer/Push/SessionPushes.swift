import Signaling

/// Pushes of one session by the ids of their live streams.
struct SessionPushes {
    private enum Entry {
        /// The stream is being tapped.
        case starting
        case running(LivePush)
    }

    private var entries: [LiveID: Entry] = [:]

    mutating func add(_ id: LiveID) { entries[id] = .starting }

    /// Returns whether a live stream is on.
    func contains(_ id: LiveID) -> Bool { entries[id] != nil }

    /// Adds the push of a live stream.
    /// - Returns: false if the live stream has ended since.
    mutating func set(_ id: LiveID, _ push: LivePush) -> Bool {
        guard entries[id] != nil else { return false }
        entries[id] = .running(push)
        return true
    }

    /// Removes a live stream and stops its push.
    mutating func stop(_ id: LiveID) {
        if case .running(let push)? = entries.removeValue(forKey: id) { push.stop() }
    }
}
