import Dispatch

/// Numbers in real time, at a fixed interval.
enum Ticker {
    /// Returns 0, 1, 2, ...; each is due one interval after the one before. Late ones follow at once.
    static func numbers(every interval: Duration) -> AsyncStream<Int> {
        AsyncStream { continuation in
            nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global())
            let start = ContinuousClock.now
            nonisolated(unsafe) var next = 0
            timer.setEventHandler {
                while start + interval * next <= ContinuousClock.now {
                    continuation.yield(next)
                    next += 1
                }
            }
            timer.schedule(deadline: .now(), repeating: .milliseconds(2))
            continuation.onTermination = { _ in timer.cancel() }
            timer.resume()
        }
    }
}
