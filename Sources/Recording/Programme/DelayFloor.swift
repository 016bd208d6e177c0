import MediaBase

/// Offset of a sender's clock to the relay's clock, by the packets that arrived with the least delay.
///
/// Network jitter only delays packets, so the least delay of the last two to four seconds shows the clock. The offset follows the drift of
/// the clock by at most 0.5 %; a change of the path of more than 40 ms is taken over at once.
struct DelayFloor: Sendable {
    private static let window: MediaTime = .seconds(2)
    private static let step: MediaTime = .milliseconds(40)
    /// Divisor of the elapsed time by which the offset follows.
    private static let pace: Int64 = 200

    private var started: MediaTime?
    private var least: MediaTime = .zero
    /// Least delay of the window before.
    private var previous: MediaTime?
    private var updated: MediaTime = .zero
    /// Time on the relay's clock minus time on the sender's clock, the least network delay included.
    private(set) var offset: MediaTime = .zero

    /// Notes a packet, in order of arrival.
    /// - Parameter capture: time by the sender's clock.
    mutating func note(capture: MediaTime, arrival: MediaTime) {
        let delay = arrival - capture
        guard let started else {
            (self.started, updated, least, offset) = (arrival, arrival, delay, delay)
            return
        }
        let age = arrival - started
        if age >= Self.window {
            // After a pause the window before is too old.
            previous = age < Self.window + Self.window ? least : nil
            least = delay
            self.started = arrival
        } else {
            least = min(least, delay)
        }
        let missing = min(least, previous ?? least) - offset
        if missing > Self.step || missing < .zero - Self.step {
            offset += missing
        } else {
            let pace = max(0, (arrival - updated).rawValue) / Self.pace
            offset += .nanoseconds(max(-pace, min(pace, missing.rawValue)))
        }
        updated = max(updated, arrival)
    }
}
