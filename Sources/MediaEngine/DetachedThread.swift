import CLinuxNet
import Glibc

/// Starts threads that nothing waits for: each ends by itself when its body returns.
package enum DetachedThread {
    /// Body of a thread that has not started yet.
    private final class Start {
        let name: String
        let body: () -> Void

        init(_ name: String, _ body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new thread, which then owns the objects that `body` refers to.
    /// - Parameter name: at most 15 bytes, shown by tools such as `top`.
    /// - Returns: errno; 0 if the thread was started.
    package static func run(_ name: String, _ body: sending @escaping () -> Void) -> Int32 {
        let raw = Unmanaged.passRetained(Start(name, body)).toOpaque()
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        let code = pthread_create(
            &thread, &attributes,
            { raw in
                guard let raw else { return nil }
                let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
                millrace_thread_name(start.name)
                start.body()
                return nil
            }, raw)
        if code != 0 { Unmanaged<Start>.fromOpaque(raw).release() }
        return code
    }
}
