import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// Carries all traffic between one client and a relay, WebSocket and media, and can be switched off and on.
final class SwitchableNetwork: Sendable {
    /// Way in which a network fails.
    enum Cut: Sendable, CaseIterable {
        /// All traffic is dropped, and neither end is notified.
        case silent
        /// Like an interface that goes down: connections break immediately, new ones are refused.
        case broken
    }

    private struct State {
        var cut: Cut?
        var carriesMedia = true
        var open: [ObjectIdentifier: any Channel] = [:]
        /// Connections that were opened while traffic was dropped.
        var waiting: [EventLoopPromise<Void>] = []
    }

    private let state: NIOLockedValueBox<State>
    private let listener: any Channel
    private let media: any Channel
    /// Port on which the client reaches the relay.
    let port: Int

    private init(_ listener: any Channel, _ media: any Channel, _ state: NIOLockedValueBox<State>) {
        self.listener = listener
        self.media = media
        self.state = state
        port = listener.localAddress?.port ?? 0
    }

    /// - Parameters:
    ///   - target: the relay's HTTP port.
    ///   - mediaPort: its port for WebRTC, which must have five digits like any port that the system chooses.
    static func start(to target: Int, mediaPort: Int) async throws -> SwitchableNetwork {
        let group = MultiThreadedEventLoopGroup.singleton
        let state = NIOLockedValueBox(State())
        let relay = try SocketAddress(ipAddress: "127.0.0.1", port: mediaPort)
        let media = try await DatagramBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        MediaWay(to: relay) { state.withLockedValue { $0.cut == nil && $0.carriesMedia } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let other = media.localAddress?.port ?? 0
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                join(client, target, state) { PortRewriter(from: " \(mediaPort) typ", to: " \(other) typ") }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return SwitchableNetwork(listener, media, state)
    }

    private static func join(
        _ client: any Channel, _ target: Int, _ state: NIOLockedValueBox<State>,
        _ rewriter: @escaping @Sendable () -> PortRewriter
    ) -> EventLoopFuture<Void> {
        let way = client.eventLoop.makePromise(of: Void.self)
        switch state.withLockedValue({ $0.cut }) {
        case .broken:
            way.succeed()
            return client.close()
        case .silent: state.withLockedValue { $0.waiting.append(way) }
        case nil: way.succeed()
        }
        return way.futureResult.flatMap {
            ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: target)
        }.flatMap { relay in
            for channel in [client, relay] {
                state.withLockedValue { $0.open[ObjectIdentifier(channel)] = channel }
                channel.closeFuture.whenComplete { _ in
                    _ = state.withLockedValue { $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
                }
            }
            return client.eventLoop.makeCompletedFuture {
                try relay.pipeline.syncOperations.addHandler(Forward(to: client, rewriter()))
                try client.pipeline.syncOperations.addHandler(Forward(to: relay))
            }.flatMap { relay.setOption(.autoRead, value: true) }.flatMap { client.setOption(.autoRead, value: true) }
        }
    }

    func cut(_ cut: Cut) {
        let open = state.withLockedValue { state in
            state.cut = cut
            return Array(state.open.values)
        }
        for channel in open {
            switch cut {
            case .silent: channel.setOption(.autoRead, value: false).whenComplete { _ in }
            case .broken: channel.close(promise: nil)
            }
        }
    }

    /// Switches media on or off; the WebSocket is not affected.
    func setMedia(_ carriesMedia: Bool) { state.withLockedValue { $0.carriesMedia = carriesMedia } }

    func restore() {
        let (open, waiting) = state.withLockedValue { state in
            state.cut = nil
            defer { state.waiting = [] }
            return (Array(state.open.values), state.waiting)
        }
        for channel in open { channel.setOption(.autoRead, value: true).whenComplete { _ in } }
        for way in waiting { way.succeed() }
    }

    func stop() async {
        restore()
        try? await listener.close()
        try? await media.close()
    }

    private final class Forward: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let other: any Channel
        private var rewriter: PortRewriter?

        init(to other: any Channel, _ rewriter: PortRewriter? = nil) {
            self.other = other
            self.rewriter = rewriter
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            let bytes = rewriter?.pass(buffer.readableBytesView)
            other.writeAndFlush(bytes.map { ByteBuffer(bytes: $0) } ?? buffer, promise: nil)
        }
        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// Forwards datagrams to the relay from one socket per client address, and back.
    private final class MediaWay: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        private let relay: SocketAddress
        private let isOpen: @Sendable () -> Bool
        private var ways: [SocketAddress: EventLoopFuture<any Channel>] = [:]

        init(to relay: SocketAddress, isOpen: @escaping @Sendable () -> Bool) {
            self.relay = relay
            self.isOpen = isOpen
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard isOpen() else { return }
            let envelope = unwrapInboundIn(data)
            let client = envelope.remoteAddress
            let way = ways[client] ?? makeWay(context.channel, client)
            ways[client] = way
            let onward = AddressedEnvelope(remoteAddress: relay, data: envelope.data)
            way.whenSuccess { $0.writeAndFlush(onward, promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            for way in ways.values { way.whenSuccess { $0.close(promise: nil) } }
        }

        private func makeWay(_ front: any Channel, _ client: SocketAddress) -> EventLoopFuture<any Channel> {
            let isOpen = isOpen
            return DatagramBootstrap(group: front.eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Back(front, to: client, isOpen))
                    }
                }
                .bind(host: "127.0.0.1", port: 0)
        }
    }

    private final class Back: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        private let front: any Channel
        private let client: SocketAddress
        private let isOpen: @Sendable () -> Bool

        init(_ front: any Channel, to client: SocketAddress, _ isOpen: @escaping @Sendable () -> Bool) {
            self.front = front
            self.client = client
            self.isOpen = isOpen
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard isOpen() else { return }
            let data = unwrapInboundIn(data).data
            front.writeAndFlush(AddressedEnvelope(remoteAddress: client, data: data), promise: nil)
        }
    }
}
