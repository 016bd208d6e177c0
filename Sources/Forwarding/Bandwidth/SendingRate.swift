import MediaBase

/// Sending rate, and whether it is below the target. If the application limits it, the estimate cannot be confirmed and must not change
/// because of it.
struct SendingRate {
    private static let isLess = 0.65
    private static let isNotLess = 0.8

    /// Sending rate in bits per second, smoothed over about half a second.
    private(set) var bitsPerSecond = 0.0
    private(set) var isApplicationLimited = false
    private var bytes: UInt64 = 0
    private var since: MediaTime?

    /// Updates the rate.
    /// - Parameter bytes: total bytes sent.
    mutating func update(bytes total: UInt64, target: Double, now: MediaTime) {
        guard let since else {
            bytes = total
            self.since = now
            return
        }
        let elapsed = (now - since).seconds
        guard elapsed >= 0.1 else { return }
        // Unsent packets are subtracted from the total, so it can decrease.
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
