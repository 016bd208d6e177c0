import MediaBase

/// Timer of a session: rings once at the time that was set last. Confined to its session, which sets it after each change of a deadline.
final class SessionAlarm {
    private let ring: @Sendable () async -> Void
    private var task: Task<Void, Never>?
    /// Time of the next ring.
    private var time = MediaTime.never

    /// - Parameter ring: called at the set time. It calls `rang` before anything else.
    init(ring: @escaping @Sendable () async -> Void) { self.ring = ring }

    /// Replaces the time of the next ring.
    /// - Parameter next: `never`: the alarm does not ring.
    func set(_ next: MediaTime) {
        guard next != time else { return }
        time = next
        task?.cancel()
        guard next != .never else {
            task = nil
            return
        }
        let wait = Duration.nanoseconds(max(next.rawValue - ControlClock.now.rawValue, 0))
        task = Task { [ring] in
            guard (try? await Task.sleep(for: wait)) != nil else { return }
            await ring()
        }
    }

    /// Notes a ring, so that the same time can be set again.
    func rang() { time = .never }
}
