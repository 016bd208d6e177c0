import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Last handler of a connection whose request for a WebSocket was refused: collects the response up to a limit, then closes.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let limit: Int
    private let refusal: EventLoopPromise<LinkError>
    private var head: HTTPResponse?
    private var body = ByteBuffer()

    /// - Parameters:
    ///   - refusal: completed with the error for the caller.
    ///   - limit: maximum number of bytes of the body.
    init(_ refusal: EventLoopPromise<LinkError>, limit: Int) {
        self.refusal = refusal
        self.limit = limit
    }

    func handlerRemoved(context: ChannelHandlerContext) { complete(.broken("the connection was closed")) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard let head = try? HTTPResponse(head) else { return context.close(promise: nil) }
            self.head = head
        case .body(let part):
            var part = part
            let room = limit - body.readableBytes
            if var taken = part.readSlice(length: min(room, part.readableBytes)) { body.writeBuffer(&taken) }
            if part.readableBytes > 0 { end(context) }
        case .end: end(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        complete(.broken("the relay closed the connection"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        complete(LinkError(error, isAnswered: head != nil))
        context.close(promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        complete(.broken("the response has no head"))
        context.close(promise: nil)
    }

    /// Reports the response, or another error if its head has not arrived. Later calls have no effect.
    private func complete(_ error: LinkError) {
        guard var head else { return refusal.succeed(error) }
        head.headerFields = head.headerFields.withoutConnection()
        refusal.succeed(.refused(head, body: body))
    }
}
