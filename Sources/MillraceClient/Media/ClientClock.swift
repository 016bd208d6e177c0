import Dispatch
import MediaBase

/// The client's one clock.
enum ClientClock {
    /// Monotonic.
    static var now: MediaTime { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }
}
