import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Limits the times and sizes of a connection: a request must arrive within `sendTime` of its first byte, an idle connection closes after
/// `idleTime`, and one without any request after `firstTime`. Errors before a request reaches the router (too slow, head too large, not
/// HTTP) are answered here, with a problem document.
final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Idle time while the relay drains. The server asks connections to close when it shuts down, but a connection that is being accepted
    /// at that moment does not hear it. 1 s is enough for a distant client to send its request.
    private static let idleTimeWhileDraining = Duration.seconds(1)
    /// Maximum time from the relay's own answer to the end of the connection.
    private static let closingTime = TimeAmount.seconds(2)

    private let configuration: ControlConfiguration
    private let statistics: ControlStatistics
    private let bodies: OpenBodies
    private let addresses: HTTPAddresses
    /// Whether the connection is counted for its address; false if the address is at its limit.
    private var isCounted = false
    private var phase = RequestPhase()
    private var timer: Scheduled<Void>?
    /// Whether this handler has closed the connection, or will close it once the last answer is sent.
    private(set) var isFinished = false
    private var context: ChannelHandlerContext?
    /// `Origin` of the latest request whose head was read.
    private var origin: String?

    init(
        configuration: ControlConfiguration, statistics: ControlStatistics, bodies: OpenBodies,
        addresses: HTTPAddresses
    ) {
        self.configuration = configuration
        self.statistics = statistics
        self.bodies = bodies
        self.addresses = addresses
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        statistics.connectionOpened()
        let group = ClientAddress.group(of: context.channel.remoteAddress)
        if addresses.enter(group) {
            isCounted = true
            // A WebSocket outlives this handler and still counts as a connection of its address.
            let addresses = addresses
            context.channel.closeFuture.whenComplete { _ in addresses.leave(group) }
        }
        start(min(configuration.firstTime, idleTime))
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        guard !isCounted, !isFinished else { return }
        // Refused without waiting for a request: connections that wait would use up as many resources.
        let problem = Problem(
            .limitReached, "too many connections of this address are open", limit: HTTPAddresses.key, retryAfter: 5)
        statistics.refused(problem)
        finish(with: problem, context: context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
        statistics.connectionClosed()
    }

    /// Called by `FirstByteHandler`, before the bytes are parsed.
    func bytesArrived() { apply(phase.bytesArrived()) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFinished else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            apply(phase.headArrived())
            origin = head.headerFields[.origin]
            continueIfExpected(head, context: context)
        case .body:
            break
        case .end:
            apply(phase.requestEnded())
        }
        context.fireChannelRead(data)
    }

    /// Answers `Expect: 100-continue` (RFC 9110 section 10.1.1), except for a body that is too large, which the client then need not send.
    private func continueIfExpected(_ head: HTTPRequest, context: ChannelHandlerContext) {
        guard head.headerFields[.expect]?.lowercased() == "100-continue" else { return }
        if let length = head.headerFields[.contentLength].flatMap({ Int($0) }), length > configuration.bodyBytes {
            return
        }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isFinished else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind != .informational: phase.answerBegan()
        case .head, .body: break
        case .end: apply(phase.answerEnded())
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isFinished, let problem = problem(for: error) {
            statistics.refused(problem)
            finish(with: phase.canAnswer ? problem : nil, context: context)
        }
        context.fireErrorCaught(error)
    }

    /// Returns nil for errors that are not about the request.
    private func problem(for error: any Error) -> Problem? {
        switch error {
        case let problem as Problem: problem
        case HTTPParserError.headerOverflow:
            Problem(
                .headerTooLarge, "the request head may have \(configuration.headerBytes) bytes",
                limit: "http.headerBytes")
        case let error as HTTPParserError: Problem(.malformedRequest, "\(error)")
        default: nil
        }
    }

    private func apply(_ action: RequestPhase.Timer) {
        switch action {
        case .keep: break
        case .stop:
            timer?.cancel()
            timer = nil
        case .idle: start(idleTime)
        case .sending: start(configuration.sendTime)
        }
    }

    private var idleTime: Duration { bodies.isDraining ? Self.idleTimeWhileDraining : configuration.idleTime }

    /// Starts the timer in place of one that is running.
    private func start(_ time: Duration) {
        timer?.cancel()
        guard let loop = context?.eventLoop else { return }
        timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { self.expired() }
    }

    private func expired() {
        guard let context, !isFinished else { return }
        switch phase.timerExpired() {
        case .ignore: break
        case .close:
            finish(with: nil, context: context)
        case .answerTimeout:
            let problem = Problem(
                .requestTimeout, "a request must arrive within \(configuration.sendTime.components.seconds) s",
                limit: "http.sendSeconds")
            statistics.refused(problem)
            finish(with: problem, context: context)
        }
    }

    /// Sends `problem`, if any, and closes the connection.
    private func finish(with problem: Problem?, context: ChannelHandlerContext) {
        isFinished = true
        timer?.cancel()
        guard let problem else {
            context.close(promise: nil)
            return
        }
        let body = problem.body
        var fields = problem.fields
        fields[.connection] = "close"
        fields[.contentLength] = String(body.count)
        configuration.origins.addFields(to: &fields, origin: origin)
        context.write(
            wrapOutboundOut(.head(HTTPResponse(status: problem.code.status, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        let sent = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.eventLoop.scheduleTask(in: Self.closingTime) { channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }
}
