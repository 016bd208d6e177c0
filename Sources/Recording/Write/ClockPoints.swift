package import MediaBase

/// Clock points of one kind of media in one file: the packet of each interval that arrived with the least delay.
///
/// Network jitter only delays packets, so the least delayed one shows the publisher's clock best. When there are too many points, every
/// second one is removed and the interval is doubled, so that a file of any duration has a bounded number.
package struct ClockPoints: Sendable {
    /// Maximum number of points, which is enough for one every two minutes in a recording of two hours.
    static let capacity = 64
    /// Length of the first interval, so that a short file has a point.
    private static let firstInterval: MediaTime = .seconds(2)

    private let kind: MediaKind
    private var interval: MediaTime = .seconds(30)
    /// Start of the open interval, and its packet with the least delay.
    private var start: MediaTime?
    private var best: ClockPoint?
    package private(set) var points: [ClockPoint] = []

    package init(_ kind: MediaKind) { self.kind = kind }

    /// Notes a packet or frame.
    /// - Parameters:
    ///   - time: its time from the start of the file.
    ///   - arrival: its arrival, as time from the start of the file on the relay's clock.
    /// - Returns: whether there is a new point.
    package mutating func note(time: MediaTime, arrival: MediaTime) -> Bool {
        let began = start ?? time
        start = began
        let isNew = time - began >= (points.isEmpty ? Self.firstInterval : interval) && closeInterval()
        if isNew { start = time }
        let point = ClockPoint(kind: kind, time: Self.rounded(time), lag: Self.rounded(arrival - time))
        if best.map({ point.lag < $0.lag }) ?? true { best = point }
        return isNew
    }

    /// Ends the open interval, at the end of the file.
    /// - Returns: whether there is a new point.
    package mutating func closeInterval() -> Bool {
        guard let best else { return false }
        points.append(best)
        self.best = nil
        if points.count >= Self.capacity {
            points = points.indices.filter { $0 % 2 == 0 }.map { points[$0] }
            interval += interval
        }
        return true
    }

    /// Returns seconds with microseconds.
    private static func rounded(_ time: MediaTime) -> Double { (time.seconds * 1e6).rounded() / 1e6 }
}
