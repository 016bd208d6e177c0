import NIOCore
import NIOHTTP1

/// Answers a request with a body that has no end, as fast as the client reads.
final class EndlessResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// Completed when the connection has ended.
    private let ended: EventLoopPromise<Void>
    /// Bytes after which the server cuts the connection; nil: never.
    private let limit: Int?
    private var written = 0

    init(_ ended: EventLoopPromise<Void>, limit: Int? = nil) {
        self.ended = ended
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let head = HTTPResponseHead(version: .http1_1, status: .ok)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        sendMore(context)
    }

    func channelInactive(context: ChannelHandlerContext) { ended.succeed() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Sends one part, and the next when it is written; other connections of the event loop have their turn in between.
    private func sendMore(_ context: ChannelHandlerContext) {
        if let limit, written >= limit { return context.close(promise: nil) }
        let part = ByteBuffer(repeating: 120, count: 16_384)
        written += part.readableBytes
        let sent = context.eventLoop.makePromise(of: Void.self)
        let loop = context.eventLoop.assumeIsolated()
        sent.futureResult.assumeIsolated().whenSuccess { loop.execute { self.sendMore(context) } }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: sent)
    }
}
