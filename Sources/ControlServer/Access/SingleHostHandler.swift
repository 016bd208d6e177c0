import NIOCore
import NIOHTTP1

/// Refuses requests without exactly one `Host` field (RFC 9112 section 3.2). With two, a proxy and the relay could take the request for
/// different names; with none, `HostRule` has no name to check. In HTTP/1.0 the field is optional.
final class SingleHostHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Whether a request was refused: the connection closes after the answer, and further input is ignored.
    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), let problem = Self.objection(to: head) {
            isRefused = true
            // `RequestDeadlineHandler` answers and closes.
            context.fireErrorCaught(problem)
            return
        }
        context.fireChannelRead(data)
    }

    static func objection(to head: HTTPRequestHead) -> Problem? {
        let count = head.headers["Host"].count
        let isOld = head.version.major == 1 && head.version.minor == 0
        guard count != 1, !(isOld && count == 0) else { return nil }
        return Problem(.malformedRequest, "the request has \(count) Host header fields instead of one")
    }
}
