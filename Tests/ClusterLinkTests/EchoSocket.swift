import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Server side of a WebSocket: greets the client, and returns each text in three fragments. The text `remove` closes it.
final class EchoSocket: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Code and reason of the client's close frame.
    private let closed: AsyncStream<String>.Continuation

    private init(_ closed: AsyncStream<String>.Continuation) { self.closed = closed }

    /// Adds HTTP to a connection; `/v1/connect` upgrades it.
    static func add(to channel: any Channel, closed: AsyncStream<String>.Continuation) throws {
        let upgrader = NIOTypedWebSocketServerUpgrader<Void>(
            maxFrameSize: 1 << 24, shouldUpgrade: accept,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(EchoSocket(closed))
                }
            })
        let configuration = NIOTypedHTTPServerUpgradeConfiguration<Void>(
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RefusingResponder())
                }
            })
        _ = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: configuration))
    }

    private static func accept(_ channel: any Channel, _ head: HTTPRequestHead) -> EventLoopFuture<HTTPHeaders?> {
        guard head.uri == "/v1/connect?token=t", head.headers["Host"] == ["edge.example"],
            head.headers["Authorization"] == ["Bearer t"]
        else { return channel.eventLoop.makeSucceededFuture(nil) }
        let offered = head.headers[canonicalForm: "Sec-WebSocket-Protocol"].joined(separator: ",")
        return channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": offered])
    }

    func handlerAdded(context: ChannelHandlerContext) { send(.text, ByteBuffer(string: "welcome"), context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil else { return context.close(promise: nil) }
        var data = frame.unmaskedData
        switch frame.opcode {
        case .text where data == ByteBuffer(string: "remove"):
            var close = ByteBuffer()
            close.write(webSocketErrorCode: .policyViolation)
            close.writeString("removed")
            send(.connectionClose, close, context)
        case .text:
            let part = data.readableBytes / 3
            for (opcode, isLast) in [(WebSocketOpcode.text, false), (.continuation, false), (.continuation, true)] {
                let slice = data.readSlice(length: isLast ? data.readableBytes : part) ?? ByteBuffer()
                send(opcode, slice, fin: isLast, context)
            }
        case .connectionClose:
            closed.yield("\(data.readInteger(as: UInt16.self) ?? 0) \(String(buffer: data))")
            send(.connectionClose, frame.unmaskedData, context)
            context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed.yield("cut")
        context.fireChannelInactive()
    }

    private func send(
        _ opcode: WebSocketOpcode, _ data: ByteBuffer, fin: Bool = true, _ context: ChannelHandlerContext
    ) {
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: fin, opcode: opcode, data: data)), promise: nil)
    }
}

/// Answers a request for another path with a problem document.
private final class RefusingResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let head = HTTPResponseHead(
            version: .http1_1, status: .forbidden, headers: ["Content-Type": "application/problem+json"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: #"{"code":"forbidden"}"#)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
