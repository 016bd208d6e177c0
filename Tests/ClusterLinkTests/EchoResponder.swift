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
