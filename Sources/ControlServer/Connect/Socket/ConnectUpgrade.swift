import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOWebSocket
import Signaling

/// Makes a WebSocket of a connection whose first request is a proper handshake for `/v1/connect`. Whatever else that request is goes on
/// to the HTTP routes, which say what is wrong with it.
struct ConnectUpgrade: Sendable {
    let configuration: ControlConfiguration
    let statistics: ControlStatistics

    var upgrader: NIOTypedWebSocketServerUpgrader<ControlConnection.Spoken> {
        NIOTypedWebSocketServerUpgrader(
            maxFrameSize: SignalingProtocol.maximumMessageBytes, enableAutomaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                // The gate has let it through.
                channel.eventLoop.makeSucceededFuture(ConnectHandshake(head)?.answer)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture { try upgrade(channel, head) }
            })
    }

    private func upgrade(_ channel: any Channel, _ head: HTTPRequestHead) throws -> ControlConnection.Spoken {
        guard let handshake = ConnectHandshake(head) else { throw NIOWebSocketUpgradeError.unsupportedWebSocketTarget }
        let pipeline = channel.pipeline.syncOperations
        // What the frames would be taken for HTTP by.
        try pipeline.removeHandler(context: pipeline.context(handlerType: FirstByteHandler.self), promise: nil)
        try pipeline.removeHandler(context: pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self), promise: nil)
        try pipeline.removeHandler(context: pipeline.context(handlerType: RequestDeadlineHandler.self), promise: nil)
        try pipeline.removeHandler(
            context: pipeline.context(handlerType: HTTPConnectionStateHandler.self), promise: nil)
        let statistics = statistics
        statistics.socketOpened()
        try pipeline.addHandler(
            WebSocketHandler(
                maximumBytes: SignalingProtocol.maximumMessageBytes, pingInterval: configuration.connect.pingInterval
            ) { statistics.socketClosed() })
        // Small buffers: the relay holds many of these, and messages of clients are short and read at once.
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
