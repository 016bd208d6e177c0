import NIOCore
import NIOWebSocket

/// Converts frames to messages and back. Answers pings, pings a silent client, closes as RFC 6455 section 7 requires, and closes the
/// connection of a client that violates the protocol or stays silent.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = SocketInput
    typealias OutboundIn = SocketOutput
    typealias OutboundOut = WebSocketFrame

    private enum State {
        case open
        /// A close frame was sent; the client's is awaited.
        case closing
        case closed
    }

    /// Maximum time from the relay's close frame to the end of the connection.
    private static let closingTime = TimeAmount.seconds(2)
    /// Checks without input of the client after which it is lost.
    private static let silentLooks = 3
    /// A control frame has at most 125 bytes (RFC 6455 section 5.5), and the close code uses two of them.
    private static let reasonBytes = 123

    private let pingInterval: TimeAmount
    private let onClose: @Sendable () -> Void
    private var reassembly: WebSocketReassembly
    private var state = State.open
    private var looks = 0
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Whether a pong has not been sent yet, and the payload of the newest ping since then. Only the newest ping is answered (RFC 6455
    /// section 5.5.3), so that a client that pings and does not read uses no memory.
    private var isPongWaiting = false
    private var nextPong: ByteBuffer?

    /// - Parameters:
    ///   - pingInterval: silence after which the client is pinged; after three intervals it is lost.
    ///   - onClose: called once, when the handler is removed.
    init(maximumBytes: Int, pingInterval: Duration, onClose: @escaping @Sendable () -> Void) {
        reassembly = WebSocketReassembly(maximumBytes: maximumBytes)
        self.pingInterval = TimeAmount(pingInterval)
        self.onClose = onClose
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        lookSoon(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        state = .closed
        self.context = nil
        onClose()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        looks = 0
        let frame = unwrapInboundIn(data)
        guard case .open = state else {
            if frame.opcode == .connectionClose { end(context) }
            return
        }
        switch reassembly.receive(frame) {
        case .nothing: break
        case .message(let text): context.fireChannelRead(wrapInboundOut(.text(text)))
        case .pong(let data): answerPing(data, context)
        case .closedByPeer(let code):
            state = .closing
            var echo = context.channel.allocator.buffer(capacity: 2)
            if let code { echo.write(webSocketErrorCode: code) }
            send(.connectionClose, echo, context)
            context.fireChannelRead(wrapInboundOut(.closed(code)))
            end(context)
        case .violation(let code, let reason): violated(code, reason, context)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .open = state else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .text(let text):
            context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .text, data: text)), promise: promise)
        case .close(let code, let reason):
            close(code, reason, context)
            promise?.succeed()
        }
    }

    /// Handles errors of the frame decoder.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .open = state else { return }
        switch error as? NIOWebSocketError {
        case .invalidFrameLength:
            violated(.messageTooLarge, "a message has at most \(reassembly.maximumBytes) bytes", context)
        case .fragmentedControlFrame: violated(.protocolError, "a control frame has one fragment", context)
        case .multiByteControlFrameLength: violated(.protocolError, "a control frame has at most 125 bytes", context)
        case nil: context.close(promise: nil)
        }
    }

    /// Closes the WebSocket when the server shuts down.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, case .open = state {
            close(.goingAway, "the relay shuts down", context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func violated(_ code: WebSocketErrorCode, _ reason: String, _ context: ChannelHandlerContext) {
        context.fireChannelRead(wrapInboundOut(.violated(code, reason)))
        context.fireChannelReadComplete()
        close(code, reason, context)
    }

    private func close(_ code: WebSocketErrorCode, _ reason: String, _ context: ChannelHandlerContext) {
        state = .closing
        var data = context.channel.allocator.buffer(capacity: 2 + reason.utf8.count)
        data.write(webSocketErrorCode: code)
        data.writeString(Self.cut(reason))
        send(.connectionClose, data, context)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.closingTime) { channel.close(promise: nil) }
    }

    /// Closes the connection after both sides have sent close frames.
    private func end(_ context: ChannelHandlerContext) {
        state = .closed
        let channel = context.channel
        // Earlier writes go out first.
        context.eventLoop.execute { channel.close(promise: nil) }
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
    }

    private func answerPing(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !isPongWaiting else {
            nextPong = data
            return
        }
        isPongWaiting = true
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.pongSent() }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: data)), promise: sent)
    }

    private func pongSent() {
        isPongWaiting = false
        guard let data = nextPong, let context, case .open = state else { return }
        nextPong = nil
        answerPing(data, context)
    }

    private func lookSoon(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: pingInterval) { self.look() }
    }

    private func look() {
        guard let context, case .open = state else { return }
        looks += 1
        lookSoon(context)
        if looks > Self.silentLooks {
            context.fireChannelRead(wrapInboundOut(.closed(nil)))
            context.fireChannelReadComplete()
            close(.policyViolation, "the client was silent for too long", context)
        } else if looks > 1 {
            send(.ping, ByteBuffer(), context)
        }
    }

    /// Returns as many whole characters as fit into a close frame.
    private static func cut(_ reason: String) -> String {
        var reason = reason
        while reason.utf8.count > reasonBytes { reason.removeLast() }
        return reason
    }
}
