import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Last handler of a connection for one request: gives the head of the response to a promise and the body to a flow, and closes the
/// connection after the exchange.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPResponsePart
    typealias OutboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPRequestPart

    private enum State {
        case waiting(EventLoopPromise<HTTPResponse>)
        /// The head has arrived.
        case streaming
        case ended
    }

    private let headTime: TimeAmount
    private var state: State
    private var flow: InboundFlow<ByteBuffer>
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - head: completed with the response's head, or failed with a ``LinkError``.
    ///   - headTime: maximum time from the end of the request to the head.
    init(_ flow: InboundFlow<ByteBuffer>, head: EventLoopPromise<HTTPResponse>, headTime: Duration) {
        self.flow = flow
        self.headTime = TimeAmount(headTime)
        state = .waiting(head)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(.broken("the connection was closed")) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .waiting(let promise)):
            state = .streaming
            timer?.cancel()
            promise.succeed(head)
        case (.body(let bytes), .streaming): flow.yield(bytes)
        case (.end, .streaming):
            end(nil)
            context.close(promise: nil)
        case (.head, _), (.body, _), (.end, _): break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.broken("the relay closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }

    func read(context: ChannelHandlerContext) {
        if flow.allowsRead() { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), case .waiting = state {
            timer = context.eventLoop.assumeIsolated().scheduleTask(in: headTime) {
                self.fail(LinkError.timeout, context)
            }
        }
        context.write(data, promise: promise)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        switch event as? FlowEvent {
        case .resume:
            if flow.resume() { context.read() }
            promise?.succeed()
        case .end:
            end(.broken("the caller has given up"))
            context.close(promise: promise)
        case nil: context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        let isAnswered = if case .waiting = state { false } else { true }
        end(LinkError(error, isAnswered: isAnswered))
        context.close(promise: nil)
    }

    /// Ends the exchange. Later calls have no effect.
    private func end(_ error: LinkError?) {
        timer?.cancel()
        let old = state
        state = .ended
        switch old {
        case .waiting(let head): head.fail(error ?? .broken("the response has no head"))
        case .streaming, .ended: break
        }
        flow.finish(error)
    }
}
