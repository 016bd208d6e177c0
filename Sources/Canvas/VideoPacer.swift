import MediaBase

/// Places of video frames in a file of constant rate, by their capture times.
struct VideoPacer {
    /// A longer pause is not filled: the frame after it follows at once.
    static let maximumFillSeconds = 10

    let rate: Int
    private var first: MediaTime?
    /// Frames placed, repeats included.
    private(set) var placed: Int64 = 0

    /// - Precondition: `rate` is positive.
    init(rate: Int) {
        precondition(rate > 0)
        self.rate = rate
    }

    /// Places a frame.
    /// - Returns: how often the frame before is repeated to fill the gap; nil for a frame whose place is taken.
    mutating func place(_ time: MediaTime) -> Int64? {
        guard let first else {
            first = time
            placed = 1
            return 0
        }
        let place = Int64(((time - first).seconds * Double(rate)).rounded())
        var gap = place - placed
        if gap > Int64(rate * Self.maximumFillSeconds) || gap < -Int64(rate) {
            // A pause, or a new start of the publisher: this frame is the next.
            self.first = time - duration(of: placed)
            gap = 0
        }
        guard gap >= 0 else { return nil }
        placed += gap + 1
        return gap
    }

    private func duration(of frames: Int64) -> MediaTime {
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(rate))
        return .nanoseconds(seconds * 1_000_000_000 + rest * 1_000_000_000 / Int64(rate))
    }
}
