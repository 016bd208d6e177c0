import CLinuxNet

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Named OS thread that runs `body` once; `join()` waits for its end.
final class LoadThread: Sendable {
    private let thread: pthread_t

    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// - Parameter name: `top -H` shows at most 15 characters.
    init(name: String, _ body: @escaping @Sendable () -> Void) throws(LoadError) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                millrace_thread_name(String(start.name.prefix(15)))
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw .system(call: "pthread_create", errno: code)
        }
        self.thread = thread
    }

    func join() { pthread_join(thread, nil) }
}
