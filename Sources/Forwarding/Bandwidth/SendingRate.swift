import MediaBase

/// What is sent, and whether that is less than it may be: then the estimate cannot prove itself, and must not move by that.
struct SendingRate {
    private static let isLess = 0.65
    private static let isNotLess = 0.8

    /// Bits a second, smoothed over about half a second.
    private(set) var bitsPerSecond = 0.0
    private(set) var isApplicationLimited = false
    private var bytes: UInt64 = 0
    private var since: MediaTime?

    /// - Parameter bytes: sent in all.
    mutating func update(bytes total: UInt64, target: Double, now: MediaTime) {
        guard let since else {
            bytes = total
            self.since = now
            return
        }
        let elapsed = (now - since).seconds
        guard elapsed >= 0.1 else { return }
        // Packets that could not be sent are taken off the total again.
        let latest = Double(max(0, Int64(truncatingIfNeeded: total &- bytes))) * 8 / elapsed
        bitsPerSecond += (latest - bitsPerSecond) * min(elapsed / 0.5, 1)
        bytes = total
        self.since = now
        if bitsPerSecond < Self.isLess * target {
            isApplicationLimited = true
        } else if bitsPerSecond > Self.isNotLess * target {
            isApplicationLimited = false
        }
    }
}
