import NIOCore

/// Writes of a channel before the end of its handshake.
struct PendingWrites {
    struct Write {
        var bytes: ByteBuffer
        var promise: EventLoopPromise<Void>?
    }

    private(set) var writes: [Write] = []
    private(set) var bytes = 0
    var isFlushed = false
    /// Promise for the end of output after the writes; nil if the output stays open.
    private(set) var close: EventLoopPromise<Void>?

    mutating func add(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
        writes.append(Write(bytes: bytes, promise: promise))
        self.bytes += bytes.readableBytes
    }

    /// Ends the output after the writes.
    mutating func addClose(_ promise: EventLoopPromise<Void>?, _ loop: any EventLoop) {
        guard let close else {
            self.close = promise ?? loop.makePromise()
            return
        }
        close.futureResult.cascade(to: promise)
    }

    /// Fails the promises of all writes.
    func fail(_ error: any Error) {
        for write in writes { write.promise?.fail(error) }
        close?.fail(error)
    }
}
