package import MediaBase

/// Clock points of one kind of media in one file: the packet of each interval that arrived with the least delay.
///
/// Network jitter only delays packets, so the least delayed one shows the publisher's clock best. When there are too many points, every
/// second one is removed and the interval is doubled, so that a file of any duration has a bounded number. If RTP time and the file's time
/// are related otherwise from some packet on, such as after a restart of the publisher's clock, earlier points say nothing about later media.
package struct ClockPoints: Sendable {
    /// Maximum number of points, which is enough for one every two minutes in a recording of two hours.
    static let capacity = 64
    /// Length of the first interval, and of the one after a step, so that a short file has a point.
    private static let firstInterval: MediaTime = .seconds(2)

    private let kind: MediaKind
    private var interval: MediaTime = .seconds(30)
    /// Start of the open interval, and its packet with the least delay.
    private var start: MediaTime?
    private var best: ClockPoint?
    /// Steps of the timeline before the open interval, and its start if they are not those of the file's start.
    private var steps: UInt64?
    private var since: Double?
    package private(set) var points: [ClockPoint] = []

    package init(_ kind: MediaKind) { self.kind = kind }

    /// Notes a packet or frame.
    /// - Parameters:
    ///   - time: its time from the start of the file.
    ///   - arrival: its arrival, as time from the start of the file on the relay's clock.
    ///   - steps: see `RecordingTimeline.steps`. Packets from before the latest step are not compared.
    /// - Returns: whether there is a new point.
    package mutating func note(time: MediaTime, arrival: MediaTime, steps: UInt64 = 0) -> Bool {
        let known = self.steps ?? steps
        guard steps >= known else { return false }
        var isNew = false
        if steps > known {
            isNew = closeInterval()
            start = nil
            since = Self.rounded(time)
        }
        self.steps = steps
        let began = start ?? time
        start = began
        if time - began >= (points.isEmpty || since != nil ? Self.firstInterval : interval), closeInterval() {
            isNew = true
            start = time
        }
        let point = ClockPoint(
            kind: kind, time: Self.rounded(time), lag: Self.rounded(arrival - time), since: since)
        if best.map({ point.lag < $0.lag }) ?? true { best = point }
        return isNew
    }

    /// Ends the open interval, at the end of the file.
    /// - Returns: whether there is a new point.
    package mutating func closeInterval() -> Bool {
        guard let best else { return false }
        points.append(best)
        self.best = nil
        // Only the first point after a step has its time.
        since = nil
        if points.count >= Self.capacity {
            points = points.indices.filter { $0 % 2 == 0 || points[$0].since != nil }.map { points[$0] }
            // A publisher with many steps.
            if points.count > Self.capacity / 2 { points = points.indices.filter { $0 % 2 == 0 }.map { points[$0] } }
            interval += interval
        }
        return true
    }

    /// Returns seconds with microseconds.
    private static func rounded(_ time: MediaTime) -> Double { (time.seconds * 1e6).rounded() / 1e6 }
}
