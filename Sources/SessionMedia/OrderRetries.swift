import MediaBase

/// Orders that the media plane refused because its queue of calls was full, with the times of their next tries.
struct OrderRetries: Sendable {
    /// Pause before the second try. It doubles with each further one.
    static let firstPause = MediaTime.milliseconds(1)
    static let longestPause = MediaTime.milliseconds(256)
    private static let backoff = Backoff(first: firstPause, longest: longestPause)

    /// Tries so far.
    private var tries: [MediaTicket: Int] = [:]
    private var waiting: [(due: MediaTime, ticket: MediaTicket)] = []
    private(set) var deadline = MediaTime.never

    var isEmpty: Bool { tries.isEmpty }

    /// Schedules the next try of a refused order.
    /// - Returns: whether there is one.
    mutating func schedule(_ ticket: MediaTicket, atMost maximum: Int, now: MediaTime) -> Bool {
        let count = tries[ticket, default: 0] + 1
        guard count < maximum else { return false }
        tries[ticket] = count
        let due = now + Self.backoff.delay(failures: count)
        waiting.append((due, ticket))
        deadline = min(deadline, due)
        return true
    }

    /// Returns the orders whose time has come, in the order in which they were refused.
    mutating func takeDue(_ now: MediaTime) -> [MediaTicket] {
        guard deadline <= now else { return [] }
        let due = waiting.filter { $0.due <= now }.map(\.ticket)
        waiting.removeAll { $0.due <= now }
        deadline = waiting.map(\.due).min() ?? .never
        return due
    }

    /// Forgets an order that has been answered or is not needed any more.
    mutating func end(_ ticket: MediaTicket) { tries[ticket] = nil }
}
