import HTTPTypes
import NIOCore
import NIOHTTP1

/// Filters requests before NIO's upgrade handler, which loses the head of a request that asks for an upgrade and does not get one. Only a
/// request that will be upgraded keeps its `Upgrade` field. Other requests lose it, as RFC 9110 section 7.8 allows, and the HTTP routes
/// answer them.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let bodies: OpenBodies
    private let unjoined: UnjoinedSockets
    /// Nil: foreign pages may connect, because their session tokens are secret.
    private let pages: PageGuard?
    private let statistics: ControlStatistics
    /// Whether the other end is a relay of the cluster.
    private let isLink: Bool
    /// Whether the first request has arrived: only that one can upgrade the connection.
    private var isDecided = false
    /// Whether the connection was refused: further input is ignored.
    private var isRefused = false

    init(
        bodies: OpenBodies, unjoined: UnjoinedSockets, pages: PageGuard?, statistics: ControlStatistics,
        isLink: Bool = false
    ) {
        self.isLink = isLink
        self.bodies = bodies
        self.unjoined = unjoined
        self.pages = pages
        self.statistics = statistics
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isRefused { return }
        guard !isDecided, case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        isDecided = true
        let handshake = SocketHandshake.complete(head)
        if case .media? = handshake {
            guard isLink else { return refuse(Problem(.notFound, "only relays of the cluster have links"), context) }
        } else if case .connect(let handshake)? = handshake, !bodies.isDraining {
            do throws(Problem) {
                if let problem = pages?.objection(
                    authority: head.headers.first(name: "Host"), origin: head.headers.first(name: "Origin"))
                {
                    throw problem
                }
                try unjoined.enter(context.channel, proxied: isLink ? handshake.proxied : nil)
            } catch {
                return refuse(error, context)
            }
        } else if head.headers.contains(name: "Upgrade") {
            let options = head.headers[canonicalForm: "Connection"].filter { $0.lowercased() != "upgrade" }
            head.headers.remove(name: "Upgrade")
            head.headers.remove(name: "Connection")
            if !options.isEmpty { head.headers.add(name: "Connection", value: options.joined(separator: ", ")) }
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Answers with an error and closes the connection.
    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        isRefused = true
        statistics.refused(problem)
        let body = problem.body
        var headers = HTTPHeaders(problem.fields.map { ($0.name.rawName, $0.value) })
        headers.add(name: "Content-Length", value: String(body.count))
        headers.add(name: "Connection", value: "close")
        let status = HTTPResponseStatus(statusCode: problem.code.status.code)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        let sent = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }
}
