import HTTPTypes
import NIOCore
import NIOHTTP1

/// Stands before NIO's upgrade handler, which forgets the head of a request that asks for an upgrade and does not get it. So only a request
/// that will get it keeps its `Upgrade` field; any other is what it is without, as RFC 9110 section 7.8 allows, and the HTTP routes answer
/// it.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let bodies: OpenBodies
    private let unjoined: UnjoinedSockets
    /// Nil: foreign pages may connect, because their session tokens are secret.
    private let pages: PageGuard?
    private let statistics: ControlStatistics
    /// Only the first request of a connection can upgrade it.
    private var isDecided = false
    /// Nothing more of the connection is of interest.
    private var isRefused = false

    init(bodies: OpenBodies, unjoined: UnjoinedSockets, pages: PageGuard?, statistics: ControlStatistics) {
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
        let isHandshake = ConnectHandshake.isComplete(head)
        if isHandshake, !bodies.isDraining {
            do throws(Problem) {
                if let problem = pages?.objection(
                    authority: head.headers.first(name: "Host"), origin: head.headers.first(name: "Origin"))
                {
                    throw problem
                }
                try unjoined.enter(context.channel)
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

    /// Answers by itself, and ends the connection.
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
