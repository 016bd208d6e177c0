import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOWebSocket
import Signaling

/// Upgrades a connection to a WebSocket if its first request is a complete handshake for `/v1/connect` or, between relays, `/cluster/media`.
/// Other requests go to the HTTP routes, which answer with an error.
struct ConnectUpgrade: Sendable {
    let configuration: ControlConfiguration
    let statistics: ControlStatistics
    /// Whether the other end is a relay of the cluster.
    let isLink: Bool

    var upgrader: NIOTypedWebSocketServerUpgrader<ControlConnection.Spoken> {
        NIOTypedWebSocketServerUpgrader(
            maxFrameSize: isLink ? SignalingProtocol.maximumRelayMessageBytes : SignalingProtocol.maximumMessageBytes,
            enableAutomaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                // `UpgradeGate` has accepted the handshake.
                channel.eventLoop.makeSucceededFuture(SocketHandshake(head)?.answer)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture { try upgrade(channel, head) }
            })
    }

    private func upgrade(_ channel: any Channel, _ head: HTTPRequestHead) throws -> ControlConnection.Spoken {
        guard let handshake = SocketHandshake(head) else { throw NIOWebSocketUpgradeError.unsupportedWebSocketTarget }
        let pipeline = channel.pipeline.syncOperations
        // These handlers would take WebSocket frames for HTTP.
        try pipeline.removeHandler(context: pipeline.context(handlerType: FirstByteHandler.self), promise: nil)
        try pipeline.removeHandler(context: pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self), promise: nil)
        try pipeline.removeHandler(context: pipeline.context(handlerType: RequestDeadlineHandler.self), promise: nil)
        try pipeline.removeHandler(
            context: pipeline.context(handlerType: HTTPConnectionStateHandler.self), promise: nil)
        let statistics = statistics
        statistics.socketOpened()
        let (maximumBytes, pingInterval) =
            switch handshake {
            case .connect: (SignalingProtocol.maximumMessageBytes, configuration.connect.pingInterval)
            case .media: (SignalingProtocol.maximumRelayMessageBytes, EdgeMedia.pingInterval)
            }
        try pipeline.addHandler(
            WebSocketHandler(maximumBytes: maximumBytes, pingInterval: pingInterval) { statistics.socketClosed() })
        // Buffers are small, because the relay holds many of them, and clients' messages are short and read at once.
        try channel.syncOptions?.setOption(
            .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 1_024, maximum: 16_384))
        let backPressure = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark(
            lowWatermark: 1, highWatermark: 2)
        return .webSocket(
            try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(backPressureStrategy: backPressure)),
            handshake)
    }
}
