import NIOCore
import NIOPosix
import Testing

extension RawHTTPClient {
    /// Polls `/metrics` until `name` has reached a value.
    func until(_ name: String, isAtLeast least: Double = -.infinity, isAtMost most: Double = .infinity) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            let text = try await request("GET", "/metrics").text
            let row = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            if let value = row?.split(separator: " ").last.flatMap({ Double($0) }), value >= least, value <= most {
                return
            }
        }
        Issue.record("\(name) did not come to \(least)...\(most)")
    }

    /// Sends `text`, reads `bytes` bytes of the response, and closes the connection.
    func begin(_ text: String, until bytes: Int) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var count = 0
            for try await part in inbound {
                count += part.readableBytes
                if count >= bytes { break }
            }
        }
    }
}
