import Foundation
import MediaBase
import NIOCore

/// The clocks of the control plane. What stands below it is told the time.
enum ControlClock {
    /// Monotonic.
    static var now: MediaTime { MediaTime(rawValue: Int64(NIODeadline.now().uptimeNanoseconds)) }

    /// Milliseconds since 1970.
    static var wall: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
