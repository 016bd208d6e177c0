import MediaBase
import NIOCore
import NIOPosix
import Signaling
import Testing

@testable import MillraceClient

@Suite("WebSockets to the relay") struct WebSocketConnectionTests {
    /// Answers with the beginning of a refusal, and no more.
    private final class StalledDoor: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let beginning = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 1000\r\n\r\n{"
            context.channel.writeAndFlush(ByteBuffer(string: beginning), promise: nil)
        }
    }

    @Test("CON-5 a refusal that comes to no end is given up in time", .timeLimit(.minutes(1)))
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
}
