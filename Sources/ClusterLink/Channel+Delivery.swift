import NIOCore

extension Channel {
    /// Writes a value and waits until the kernel has taken it.
    /// - Throws: `CancellationError` if the task is cancelled before; the value is still written unless the channel closes.
    func deliver(_ value: some Sendable) async throws {
        let written = eventLoop.makePromise(of: Void.self)
        writeAndFlush(value, promise: written)
        try await withTaskCancellationHandler {
            try await written.futureResult.get()
        } onCancel: {
            // The first completion of a promise counts.
            written.fail(CancellationError())
        }
    }
}
