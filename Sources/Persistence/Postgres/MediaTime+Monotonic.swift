import Dispatch
import MediaBase

extension MediaTime {
    /// Present time of the system's monotonic clock.
    static var monotonic: MediaTime { MediaTime(rawValue: Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }
}
