import NIOCore
import NIOPosix

/// An HTTP/1.1 client that sends arbitrary bytes, so that tests can send malformed requests.
struct RawHTTPClient: Sendable {
    let port: Int

    /// Sends `text` and reads until the server closes.
    func exchange(_ text: String) async throws -> RawHTTPResponse {
        try await exchange(ByteBuffer(string: text))
    }

    func exchange(_ bytes: ByteBuffer) async throws -> RawHTTPResponse {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        var received: [UInt8] = []
        try await channel.executeThenClose { inbound, outbound in
            // A server that refuses early may close the connection during the write.
            try? await outbound.write(bytes)
            do {
                for try await part in inbound { received.append(contentsOf: part.readableBytesView) }
            } catch is IOError {}
        }
        return try RawHTTPResponse(received)
    }

    /// Sends one request on a new connection.
    func request(
        _ method: String, _ path: String, body: String? = nil, fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
        if let body {
            if fields["Content-Type"] == nil { text += "Content-Type: application/json\r\n" }
            text += "Content-Length: \(body.utf8.count)\r\n"
        }
        return try await exchange(text + "\r\n" + (body ?? ""))
    }
}
