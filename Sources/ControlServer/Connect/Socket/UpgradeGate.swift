internal import NIOCore
internal import NIOHTTP1

/// Stands before NIO's upgrade handler, which forgets the head of a request that asks for an upgrade and does not get it. So only a request
/// that will get it keeps its `Upgrade` field; any other is what it is without, as RFC 9110 section 7.8 allows, and the HTTP routes answer
/// it.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let bodies: OpenBodies
    /// Only the first request of a connection can upgrade it.
    private var isDecided = false

    init(bodies: OpenBodies) {
        self.bodies = bodies
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDecided, case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        isDecided = true
        if head.headers.contains(name: "Upgrade"), bodies.isDraining || !ConnectHandshake.isComplete(head) {
            let options = head.headers[canonicalForm: "Connection"].filter { $0.lowercased() != "upgrade" }
            head.headers.remove(name: "Upgrade")
            head.headers.remove(name: "Connection")
            if !options.isEmpty { head.headers.add(name: "Connection", value: options.joined(separator: ", ")) }
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
