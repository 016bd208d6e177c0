package import Cluster
package import HTTPTypes
package import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

extension LinkCaller {
    /// Elements of a response body that are queued for its reader: reading goes on at the first number, and stops at the second. An element
    /// has at most 64 KiB.
    static let bodyQueue = (low: 2, high: 8)

    /// Sends a request and returns when the head of the response has arrived. A response that arrives before the end of the request's body
    /// ends the reading of that body. The body is read only until this function returns or throws.
    ///
    /// Fields of the connection (RFC 9110 section 7.6.1) are left out in both directions.
    ///
    /// - Parameters:
    ///   - request: method, path, authority (nil: the relay's own) and fields. A body has the length of `Content-Length`, or else is sent in
    ///     chunks if the method is POST, PUT or PATCH, or `Transfer-Encoding` is there.
    ///   - own: fields of this relay. The client's `Connection` field cannot remove them.
    ///   - body: body of the request; empty if it has none.
    ///   - relay: the home relay.
    /// - Throws: `connect`, `timeout` or `broken`; `broken` also if the task is cancelled or the body throws.
    package func send<Body: AsyncSequence & Sendable>(
        _ request: HTTPRequest, own: HTTPFields = HTTPFields(), body: Body, to relay: RelayDescription
    ) async throws(LinkError) -> LinkResponse where Body.Element == ByteBuffer {
        let headTime = settings.headTime
        let (channel, head, sequence) = try await dial(LinkTarget(relay)) { channel in
            let (head, sequence) = try Self.addHandlers(to: channel, headTime: headTime)
            return (channel, head, sequence)
        }
        do {
            var response = try await withTaskCancellationHandler {
                try await Self.exchange(Self.framed(request, own, relay), body, head, over: channel)
            } onCancel: {
                channel.triggerUserOutboundEvent(FlowEvent.end, promise: nil)
            }
            response.headerFields = response.headerFields.withoutConnection()
            return LinkResponse(head: response, body: sequence)
        } catch {
            channel.close(promise: nil)
            throw LinkError(error, isAnswered: true)
        }
    }

    /// Sends a request without a body.
    package func send(_ request: HTTPRequest, to relay: RelayDescription) async throws(LinkError) -> LinkResponse {
        try await send(request, body: AsyncStream<ByteBuffer> { $0.finish() }, to: relay)
    }

    /// Returns the request as it is sent on the link.
    static func framed(_ request: HTTPRequest, _ own: HTTPFields, _ relay: RelayDescription) -> HTTPRequest {
        let isChunked = request.headerFields[.transferEncoding] != nil && request.headerFields[.contentLength] == nil
        var request = request
        request.headerFields = request.headerFields.withoutConnection()
        for field in own { request.headerFields[field.name] = field.value }
        if isChunked { request.headerFields[.transferEncoding] = "chunked" }
        request.headerFields[.connection] = "close"
        request.authority = request.authority ?? relay.link
        return request
    }

    /// Sends a request and waits for the head of the response.
    static func exchange<Body: AsyncSequence & Sendable>(
        _ request: HTTPRequest, _ body: Body, _ head: EventLoopFuture<HTTPResponse>, over channel: any Channel
    ) async throws -> HTTPResponse where Body.Element == ByteBuffer {
        channel.writeAndFlush(HTTPRequestPart.head(request), promise: nil)
        let methods: Set<HTTPRequest.Method> = [.post, .put, .patch]
        let fields = request.headerFields
        let takesBody =
            methods.contains(request.method) || fields[.contentLength] != nil || fields[.transferEncoding] != nil
        return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
            group.addTask {
                do {
                    try await upload(body, isAllowed: takesBody, over: channel)
                } catch  where !Task.isCancelled {
                    // Neither side can go on. The wait for the response ends with this error.
                    channel.pipeline.fireErrorCaught(LinkError(bodyError: error))
                }
                return nil
            }
            group.addTask { try await head.get() }
            // Nothing reads the request's body after this function.
            defer { group.cancelAll() }
            while let answer = try await group.next() {
                if let answer { return answer }
            }
            throw LinkError.broken("the response has no head")
        }
    }

    /// Sends the body of a request. If the connection breaks, returns: the end of the response has the reason.
    /// - Throws: the error of the body, or `broken` if the request can have none.
    private static func upload<Body: AsyncSequence & Sendable>(
        _ body: Body, isAllowed: Bool, over channel: any Channel
    ) async throws where Body.Element == ByteBuffer {
        for try await part in body where part.readableBytes > 0 {
            guard isAllowed else { throw LinkError.broken("the request has a body without its length") }
            do { try await channel.deliver(HTTPRequestPart.body(part)) } catch { return }
        }
        // A cancelled sequence can end as if it were complete.
        guard !Task.isCancelled else { return }
        channel.writeAndFlush(HTTPRequestPart.end(nil), promise: nil)
    }

    /// Adds the handlers of one request to a connection.
    /// - Returns: the head of the response, or a ``LinkError``; and the response's body.
    static func addHandlers(
        to channel: any Channel, headTime: Duration
    ) throws -> (EventLoopFuture<HTTPResponse>, LinkSequence<ByteBuffer>) {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHTTPClientHandlers()
        try pipeline.addHandler(HTTP1ToHTTPClientCodec())
        let (flow, sequence) = InboundFlow<ByteBuffer>.make(channel, low: bodyQueue.low, high: bodyQueue.high)
        let head = channel.eventLoop.makePromise(of: HTTPResponse.self)
        do {
            try pipeline.addHandler(ExchangeHandler(flow, head: head, headTime: headTime))
        } catch {
            head.fail(error)
            throw error
        }
        return (head.futureResult, sequence)
    }
}
