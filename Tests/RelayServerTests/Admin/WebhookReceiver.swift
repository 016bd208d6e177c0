import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix

/// An application's server that receives webhooks and fails as scripted.
final class WebhookReceiver: Sendable {
    struct Received: Sendable {
        var fields: HTTPHeaders
        var body: [UInt8]
        var status: HTTPResponseStatus
    }

    private struct State {
        var received: [Received] = []
        /// Statuses of the next answers; 0 closes the connection without an answer.
        var script: [Int] = []
    }

    let port: Int
    private let channel: any Channel
    private let state: NIOLockedValueBox<State>
    private let arrivals: AsyncStream<Received>

    init(script: [Int] = []) async throws {
        let state = NIOLockedValueBox(State(script: script))
        let (arrivals, arrival) = AsyncStream<Received>.makeStream()
        self.state = state
        self.arrivals = arrivals
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        Handler { fields, body in
                            let status = state.withLockedValue { $0.script.isEmpty ? 200 : $0.script.removeFirst() }
                            let received = Received(
                                fields: fields, body: body, status: HTTPResponseStatus(statusCode: status))
                            state.withLockedValue { $0.received.append(received) }
                            arrival.yield(received)
                            return status
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async throws { try await channel.close() }

    var received: [Received] { state.withLockedValue { $0.received } }

    /// Waits until `count` requests were answered with 200.
    func taken(_ count: Int) async -> [Received] {
        var taken: [Received] = []
        for await received in arrivals {
            if received.status == .ok { taken.append(received) }
            if taken.count == count { break }
        }
        return taken
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let answer: @Sendable (HTTPHeaders, [UInt8]) -> Int
        private var fields = HTTPHeaders()
        private var body: [UInt8] = []

        init(_ answer: @escaping @Sendable (HTTPHeaders, [UInt8]) -> Int) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): fields = head.headers
            case .body(let bytes): body += bytes.readableBytesView
            case .end:
                let status = answer(fields, body)
                guard status != 0 else {
                    context.close(promise: nil)
                    return
                }
                let head = HTTPResponseHead(
                    version: .http1_1, status: .init(statusCode: status), headers: ["Content-Length": "0"])
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
