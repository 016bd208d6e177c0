import Foundation
package import MediaBase
import NIOCore

/// Clocks of the control plane. Lower layers receive the time as an argument.
package enum ControlClock {
    /// Monotonic time.
    package static var now: MediaTime { MediaTime(rawValue: Int64(NIODeadline.now().uptimeNanoseconds)) }

    /// Wall-clock time in milliseconds since 1970.
    static var wall: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// Time of a turn of a session.
    static var time: SessionTime { SessionTime(now: now, wall: wall) }
}
