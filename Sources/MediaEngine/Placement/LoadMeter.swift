import MediaBase

/// CPU use of a thread in the last second, from readings of its CPU clock.
///
/// The thread takes a reading in each turn in which one is due, so that a longer pause between two readings means that it slept.
struct LoadMeter {
    /// Minimum time between two readings.
    static let interval = MediaTime.milliseconds(100)
    /// Period that the load is measured over.
    static let span = MediaTime.seconds(1)

    private struct Reading {
        let at: MediaTime
        let cpu: MediaTime
    }

    /// Time at which the next reading is due.
    private(set) var due: MediaTime
    /// Readings of the last second and the newest one before it, oldest first.
    private var readings: [Reading] = []

    /// - Parameter isRunning: false in virtual time, in which no CPU time passes: no reading is ever due.
    init(isRunning: Bool = true) { due = isRunning ? .zero : .never }

    /// Adds a reading and returns the CPU use of the last second, in thousandths of one core (0 to 1,000). CPU time of the 100 ms before a
    /// sleep counts in full after it.
    /// - Parameter cpu: CPU time of the thread since its start.
    mutating func read(cpu: MediaTime, now: MediaTime) -> Int {
        due = now + Self.interval
        readings.append(Reading(at: now, cpu: cpu))
        while readings.count > 1, now - readings[1].at >= Self.span { readings.removeFirst() }
        let used = max(0, (cpu - readings[0].cpu).rawValue)
        return Int(min(used, Self.span.rawValue) / (Self.span.rawValue / 1000))
    }
}
