import NIOCore
import NIOWebSocket

/// Last handler of a WebSocket over a link: converts whole frames to inputs for a flow, and outputs to masked frames. Answers pings, pings the
/// peer, and closes as RFC 6455 section 7 requires.
final class LinkSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = LinkSocketOutput
    typealias OutboundOut = WebSocketFrame

    private enum State {
        case open
        /// A close frame was sent; the peer's is awaited.
        case closing
        case closed
    }

    /// A control frame has at most 125 bytes (RFC 6455 section 5.5), and the close code uses two of them.
    private static let reasonBytes = 123

    private let settings: LinkSettings
    private var flow: InboundFlow<LinkSocketInput>
    private var state = State.open
    /// Complete intervals since the last input.
    private var silence = 0
    private var isPingWaiting = false
    /// Whether a pong has not been sent yet, and the payload of the newest ping since then. Only that one is answered (RFC 6455 section
    /// 5.5.3), so that a peer that pings and does not read uses no memory.
    private var isPongWaiting = false
    private var nextPong: ByteBuffer?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(_ flow: InboundFlow<LinkSocketInput>, _ settings: LinkSettings) {
        self.flow = flow
        self.settings = settings
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        lookSoon(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        ended()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    private func ended() {
        timer?.cancel()
        flow.finish(state == .open ? .broken("the relay cut the connection") : nil)
        state = .closed
    }

    // MARK: input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch (state, frame.opcode) {
        case (.closed, _): break
        case (_, .connectionClose): peerClosed(frame.unmaskedData, context)
        case (.closing, _): break
        case (.open, .text): flow.yield(.text(frame.unmaskedData))
        case (.open, .ping): answerPing(frame.unmaskedData, context)
        case (.open, .pong): break
        case (.open, .binary): violated(.unacceptableData, "messages must be text", context)
        case (.open, _): violated(.protocolError, "the frame has an unknown opcode", context)
        }
    }

    /// Notes that the peer is alive; a part of a large message counts.
    func channelReadComplete(context: ChannelHandlerContext) {
        silence = 0
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if flow.allowsRead() { context.read() }
    }

    private func peerClosed(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
        var data = data
        let code = data.readWebSocketErrorCode()
        flow.yield(.closed(code, reason: String(buffer: data)))
        flow.finish()
        let isAnswered = state == .closing
        state = .closed
        timer?.cancel()
        guard !isAnswered else { return context.close(promise: nil) }
        var echo = context.channel.allocator.buffer(capacity: 2)
        if let code { echo.write(webSocketErrorCode: code) }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.context?.close(promise: nil) }
        closeLater(context)
        send(.connectionClose, echo, sent, context)
    }

    /// Handles errors of the frame decoder, of the aggregator and of the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard state == .open else { return }
        switch error {
        case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge:
            violated(.messageTooLarge, "a message has at most \(settings.messageBytes) bytes", context)
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            violated(.protocolError, "invalid frames: \(error)", context)
        default:
            flow.finish(LinkError(error, isAnswered: true))
            state = .closed
            context.close(promise: nil)
        }
    }

    private func violated(_ code: WebSocketErrorCode, _ reason: String, _ context: ChannelHandlerContext) {
        flow.finish(.broken("the relay violated the protocol: \(reason)"))
        close(code, reason, nil, context)
    }

    // MARK: output

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard state == .open else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .text(let text):
            let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: text)
            context.write(wrapOutboundOut(frame), promise: promise)
        case .close(let code, let reason): close(code, reason, promise, context)
        }
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        switch event as? FlowEvent {
        case .resume:
            if flow.resume() { context.read() }
            promise?.succeed()
        case .end:
            // A close frame that was sent still has its time.
            guard state == .open else {
                promise?.succeed()
                return
            }
            flow.finish(.broken("the caller has given up"))
            state = .closed
            context.close(promise: promise)
        case nil: context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    private func close(
        _ code: WebSocketErrorCode?, _ reason: String, _ promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) {
        state = .closing
        timer?.cancel()
        var data = context.channel.allocator.buffer(capacity: 2 + Self.reasonBytes)
        if let code {
            data.write(webSocketErrorCode: code)
            data.writeString(Self.cut(reason))
        }
        closeLater(context)
        // The peer's answer must be read even if the reader is behind.
        if flow.stopPausing() { context.read() }
        send(.connectionClose, data, promise, context)
    }

    private func closeLater(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(settings.closingTime)) {
            self.context?.close(promise: nil)
        }
    }

    private func send(
        _ opcode: WebSocketOpcode, _ data: ByteBuffer, _ promise: EventLoopPromise<Void>?,
        _ context: ChannelHandlerContext
    ) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
    }

    private func answerPing(_ data: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !isPongWaiting else {
            nextPong = data
            return
        }
        isPongWaiting = true
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.pongSent() }
        send(.pong, data, sent, context)
    }

    private func pongSent() {
        isPongWaiting = false
        guard let data = nextPong, let context, state == .open else { return }
        nextPong = nil
        answerPing(data, context)
    }

    /// Returns as many whole characters as fit into a close frame.
    private static func cut(_ reason: String) -> String {
        var reason = reason
        while reason.utf8.count > reasonBytes { reason.removeLast() }
        return reason
    }

    // MARK: silence

    private func lookSoon(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(settings.pingInterval)) { self.look() }
    }

    private func look() {
        guard let context, state == .open else { return }
        // While this side does not read, the peer cannot be heard.
        if !flow.isPaused { silence += 1 }
        guard silence <= settings.silentIntervals else {
            flow.finish(.broken("the relay was silent for too long"))
            state = .closed
            return context.close(promise: nil)
        }
        lookSoon(context)
        // A peer that does not read gets no further pings.
        guard !isPingWaiting else { return }
        isPingWaiting = true
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.isPingWaiting = false }
        send(.ping, ByteBuffer(), sent, context)
    }
}
