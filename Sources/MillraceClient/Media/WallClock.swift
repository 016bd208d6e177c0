import Foundation
import MediaBase

/// The time of day, as reports to the relay have it.
enum WallClock {
    /// What the client's clock is to be added to for nanoseconds since 1970.
    static var offset: MediaTime { .nanoseconds(Int64(Date().timeIntervalSince1970 * 1e9)) - ClientClock.now }
}
