import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// TCP proxy between clients and a relay that can cut connections.
final class TCPProxy: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var isBlocked = false
    }

    private let state: NIOLockedValueBox<State>
    private let listener: any Channel
    let port: Int

    private init(_ listener: any Channel, _ state: NIOLockedValueBox<State>) {
        self.listener = listener
        self.state = state
        port = listener.localAddress?.port ?? 0
    }

    static func start(to target: Int) async throws -> TCPProxy {
        let group = MultiThreadedEventLoopGroup.singleton
        let state = NIOLockedValueBox(State())
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                guard !state.withLockedValue({ $0.isBlocked }) else { return client.close() }
                state.withLockedValue { $0.open[ObjectIdentifier(client)] = client }
                client.closeFuture.whenComplete { _ in
                    _ = state.withLockedValue { $0.open.removeValue(forKey: ObjectIdentifier(client)) }
                }
                return ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: target).flatMap {
                    relay in
                    client.eventLoop.makeCompletedFuture {
                        try relay.pipeline.syncOperations.addHandler(Forward(to: client))
                        try client.pipeline.syncOperations.addHandler(Forward(to: relay))
                    }.flatMap { client.setOption(.autoRead, value: true) }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TCPProxy(listener, state)
    }

    /// Closes every connection.
    /// - Parameter blocks: refuses new connections until `unblock`.
    func cut(blocks: Bool = false) {
        let open = state.withLockedValue { state in
            state.isBlocked = blocks
            return Array(state.open.values)
        }
        for channel in open { channel.close(promise: nil) }
    }

    func unblock() { state.withLockedValue { $0.isBlocked = false } }

    func stop() async { try? await listener.close() }

    private final class Forward: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        let other: any Channel

        init(to other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }
        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
