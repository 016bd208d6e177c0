import NIOCore
import NIOHTTP1

/// Answers each request with its body, after an interim response.
final class EchoResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var head: HTTPResponseHead?
    private var body = ByteBuffer()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let early = HTTPResponseHead(
                version: .http1_1, status: .custom(code: 103, reasonPhrase: "Early Hints"), headers: ["Link": "</a>"])
            context.writeAndFlush(wrapOutboundOut(.head(early)), promise: nil)
            var answer = HTTPResponseHead(version: .http1_1, status: .created)
            answer.headers.add(name: "Location", value: head.uri)
            answer.headers.add(name: "Keep-Alive", value: "5")
            answer.headers.add(name: "X-Host", value: head.headers["Host"].joined(separator: ","))
            self.head = answer
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

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

/// Completes a promise when the connection has ended, and answers nothing.
final class MuteResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let asked: EventLoopPromise<Void>
    private let ended: EventLoopPromise<Void>

    init(asked: EventLoopPromise<Void>, ended: EventLoopPromise<Void>) {
        self.asked = asked
        self.ended = ended
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { asked.succeed() }
    }

    func channelInactive(context: ChannelHandlerContext) { ended.succeed() }
}
