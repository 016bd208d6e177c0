import MediaBase
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Signaling
import Testing

@testable import MillraceClient

@Suite("WebSockets to the relay") struct WebSocketConnectionTests {
    /// Sends the beginning of a refusal, and nothing after it.
    private final class StalledDoor: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let beginning = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 1000\r\n\r\n{"
            context.channel.writeAndFlush(ByteBuffer(string: beginning), promise: nil)
        }
    }

    @Test("CON-5 an incomplete refusal times out", .timeLimit(.minutes(1)))
    func stalledRefusal() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture {
                    try client.pipeline.syncOperations.addHandler(StalledDoor())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = "ws://127.0.0.1:\(listener.localAddress?.port ?? 0)"
        let security = ConnectionSecurity(timeout: .milliseconds(300), checksCertificates: true)
        var refusal: SignalingError?
        do throws(SignalingError) {
            let target = try WebSocketTarget(address, token: "t", security)
            _ = try await WebSocketConnection.open(target)
        } catch {
            refusal = error
        }
        #expect(refusal?.code == .connectFailed)
        try await listener.close()
    }

    /// Returns a listener that sends one text of `bytes` bytes to each client.
    private static func listener(sending bytes: Int) async throws -> any Channel {
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in
                channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": SignalingProtocol.subprotocol])
            },
            upgradePipelineHandler: { channel, _ in
                let text = ByteBuffer(repeating: UInt8(ascii: "x"), count: bytes)
                // The delay lets the handshake finish, which is written when the handlers are in place.
                channel.eventLoop.scheduleTask(in: .milliseconds(50)) {
                    channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: text), promise: nil)
                }
                return channel.eventLoop.makeSucceededVoidFuture()
            })
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                client.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    @Test(
        "the largest message of the relay is accepted, a larger one ends the connection", .timeLimit(.minutes(1)),
        arguments: [0, 1])
    func largestMessage(excess: Int) async throws {
        #expect(SignalingProtocol.maximumRelayMessageBytes == 16 << 20)
        let bytes = SignalingProtocol.maximumRelayMessageBytes + excess
        let listener = try await Self.listener(sending: bytes)
        let security = ConnectionSecurity(timeout: .seconds(10), checksCertificates: true)
        let target = try WebSocketTarget("ws://127.0.0.1:\(listener.localAddress?.port ?? 0)", token: "t", security)
        let connection = try await WebSocketConnection.open(target)
        let received = NIOLockedValueBox<Int?>(nil)
        let end = await connection.run { text in
            received.withLockedValue { $0 = text.count }
            connection.close(saysGoodbye: false)
        }
        #expect(received.withLockedValue { $0 } == (excess == 0 ? bytes : nil), "\(end)")
        try await listener.close()
    }
}
