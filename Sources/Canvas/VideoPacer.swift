import MediaBase

/// Positions of video frames in a file with a constant rate, from their capture times.
struct VideoPacer {
    /// Longest pause that is filled; after a longer one, the next frame follows at once.
    static let maximumFillSeconds = 10

    let rate: Int
    private var first: MediaTime?
    /// Number of frames, including repeats.
    private(set) var count: Int64 = 0

    /// - Precondition: `rate` is positive.
    init(rate: Int) {
        precondition(rate > 0)
        self.rate = rate
    }

    /// Adds a frame.
    /// - Returns: number of repeats of the previous frame that fill the gap; nil if the position of the frame is taken.
    mutating func add(_ time: MediaTime) -> Int64? {
        guard let first else {
            first = time
            count = 1
            return 0
        }
        let position = Int64(((time - first).seconds * Double(rate)).rounded())
        var gap = position - count
        if gap > Int64(rate * Self.maximumFillSeconds) || gap < -Int64(rate) {
            // After a pause or a restart of the publisher, this frame follows at once.
            self.first = time - duration(of: count)
            gap = 0
        }
        guard gap >= 0 else { return nil }
        count += gap + 1
        return gap
    }

    private func duration(of frames: Int64) -> MediaTime {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(rate))
        return .nanoseconds(seconds * 1_000_000_000 + rest * 1_000_000_000 / Int64(rate))
    }
}
