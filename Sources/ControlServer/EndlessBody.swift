import Hummingbird
import NIOCore

/// Body of an answer that lasts until its source ends, the client disconnects or accepts nothing for too long, or the relay drains.
struct EndlessBody: Sendable {
    /// Maximum time for one write. A client that accepts nothing for so long is disconnected, whatever TCP reports.
    private static let stall = TimeAmount.seconds(30)
    /// Time that a client has to read the rest of the body when the relay drains.
    private static let lastWrite = TimeAmount.seconds(1)

    /// The client's connection.
    let channel: any Channel
    let bodies: OpenBodies

    /// Runs `prepare`, which waits for the source before the head of the answer is sent.
    /// - Parameter close: ends the wait when the client disconnects or the relay drains. It is kept as in `run`.
    func wait<Failure>(
        close: @escaping @Sendable () -> Void, _ prepare: () async throws(Failure) -> Void
    ) async throws(Failure) {
        channel.closeFuture.whenComplete { _ in close() }
        let id = bodies.add(close)
        if id == nil { close() }
        defer { if let id { bodies.remove(id) } }
        try await prepare()
    }

    /// Runs `send`, which writes the body, unless the relay drains.
    /// - Parameter close: ends the source, so that `send` returns. It is kept for as long as the connection, so it must not own the source.
    func run(
        _ writer: inout any ResponseBodyWriter, close: @escaping @Sendable () -> Void,
        send: (inout any ResponseBodyWriter) async throws -> Void
    ) async throws {
        // A silent source writes nothing, so no write would fail after the client has disconnected.
        channel.closeFuture.whenComplete { _ in close() }
        let id = bodies.add { [channel] in
            close()
            // A client that reads nothing would otherwise keep the last write from ending.
            channel.eventLoop.scheduleTask(in: Self.lastWrite) { channel.close(promise: nil) }
        }
        if let id {
            defer { bodies.remove(id) }
            try await send(&writer)
        }
        try await writer.finish(nil)
    }

    /// Writes one piece.
    func write(_ bytes: [UInt8], to writer: inout any ResponseBodyWriter) async throws {
        let stall = channel.eventLoop.scheduleTask(in: Self.stall) { [channel] in channel.close(promise: nil) }
        defer { stall.cancel() }
        try await writer.write(ByteBuffer(bytes: bytes))
    }
}
