import Signaling

/// Pushes of one session by their ids.
struct SessionPushes {
    private enum Entry {
        /// The stream is being tapped.
        case starting
        case running(RunningPush)
    }

    private var entries: [PushID: Entry] = [:]

    mutating func add(_ id: PushID) { entries[id] = .starting }

    /// Returns whether a push has been added and not stopped.
    func contains(_ id: PushID) -> Bool { entries[id] != nil }

    /// Sets the running push of an id.
    /// - Returns: false if it has been stopped since.
    mutating func set(_ id: PushID, _ push: RunningPush) -> Bool {
        guard entries[id] != nil else { return false }
        entries[id] = .running(push)
        return true
    }

    /// Removes a push and stops it.
    mutating func stop(_ id: PushID) {
        if case .running(let push)? = entries.removeValue(forKey: id) { push.stop() }
    }
}
