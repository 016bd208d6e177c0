import Dispatch
import MediaBase

/// Clock of the client.
enum ClientClock {
    /// Current monotonic time.
    static var now: MediaTime { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }
}
