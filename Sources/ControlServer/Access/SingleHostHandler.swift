import NIOCore
import NIOHTTP1

/// Refuses requests without exactly one `Host` field (RFC 9112 section 3.2). With two of them a proxy and the relay could take the request
/// for different names, and without one the rule about names (`HostRule`) has nothing to judge. HTTP/1.0 has no `Host`, but may have one.
final class SingleHostHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// The connection ends with the answer; nothing more of it is read.
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
