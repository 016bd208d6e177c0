import Foundation
import MediaBase

/// Wall clock for RTCP sender reports.
enum WallClock {
    /// Offset from the client's clock to nanoseconds since 1970.
    static var offset: MediaTime { .nanoseconds(Int64(Date().timeIntervalSince1970 * 1e9)) - ClientClock.now }
}
