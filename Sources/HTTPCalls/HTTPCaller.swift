import HTTPTypes
package import MediaBase
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import TLSChannel

/// HTTP/1.1 client for webhooks and the command line, with one connection per call. It does not follow redirects.
package struct HTTPCaller: Sendable {
    private typealias Connection = NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>

    private static let connectTime = TimeAmount.seconds(10)

    /// PEM file of trusted root certificates; nil: the system's.
    private let authorities: String?
    /// TLS context, created once because reading the system's certificates takes a while.
    private let context = NIOLockedValueBox<TLSContext?>(nil)

    private let agent: String

    /// - Parameter agent: value of the User-Agent field.
    package init(authorities: String? = nil, agent: String = "millrace") {
        self.authorities = authorities
        self.agent = agent
    }

    /// - Parameters:
    ///   - address: address to connect to instead of resolving the host's name, which TLS still checks; nil: resolves it.
    ///   - time: limit for the whole call.
    ///   - limit: maximum size of the response body in bytes.
    package func send(
        _ call: HTTPCall, to address: MediaBase.SocketAddress? = nil, within time: Duration, limit: Int = 8 << 20
    ) async throws(HTTPCallError) -> HTTPCallAnswer {
        var answer = HTTPCallAnswer(status: 0, fields: [:], body: [])
        let target = call.target
        try await exchange(call, to: address, within: time) { status, fields in
            answer.status = status
            answer.fields = fields
        } body: { bytes in
            answer.body += bytes.readableBytesView
            guard answer.body.count <= limit else { throw HTTPCallError.tooLarge(target, limit: limit) }
        }
        return answer
    }

    /// Passes on a response as it arrives.
    ///
    /// - Parameters:
    ///   - time: limit until the response ends; nil: none.
    ///   - body: receives a part of the response body; throws to end the call.
    package func stream(
        _ call: HTTPCall, within time: Duration? = nil, head: (Int, [String: String]) throws -> Void,
        body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws(HTTPCallError) {
        try await exchange(call, within: time, head: head) { bytes in try bytes.withUnsafeReadableBytes(body) }
    }

    private func exchange(
        _ call: HTTPCall, to address: MediaBase.SocketAddress? = nil, within time: Duration?,
        head: (Int, [String: String]) throws -> Void,
        body: (ByteBuffer) throws -> Void
    ) async throws(HTTPCallError) {
        let target = call.target
        let connection = try await connect(target, at: address)
        let isLate = NIOLockedValueBox(false)
        let channel = connection.channel
        let alarm = time.map { time in
            channel.eventLoop.scheduleTask(in: TimeAmount(time)) {
                isLate.withLockedValue { $0 = true }
                channel.close(promise: nil)
            }
        }
        defer { alarm?.cancel() }
        var isWhole = false
        do {
            try await connection.executeThenClose { inbound, outbound in
                // A server that answers early may close while the request is still being written.
                try? await outbound.write(contentsOf: parts(of: call))
                for try await part in inbound {
                    switch part {
                    case .head(let response) where response.status.kind == .informational: break
                    case .head(let response): try head(response.status.code, Self.fields(response))
                    case .body(let bytes): try body(bytes)
                    case .end:
                        isWhole = true
                        return
                    }
                }
            }
        } catch {
            if isLate.withLockedValue({ $0 }) { throw .timeout(target) }
            if let error = error as? HTTPCallError { throw error }
            // A server may close without a TLS close_notify alert after a complete response.
            if !isWhole { throw .broken(target, reason: "\(ConnectionFailure(error))") }
        }
        if isLate.withLockedValue({ $0 }), !isWhole { throw .timeout(target) }
        if !isWhole { throw .broken(target, reason: "it closed before the response was complete") }
    }

    private func connect(
        _ target: HTTPTarget, at address: MediaBase.SocketAddress?
    ) async throws(HTTPCallError) -> Connection {
        let secure = target.isSecure ? try tlsContext() : nil
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(Self.connectTime)
                .connect(host: address?.host ?? target.host, port: target.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let secure { try pipeline.addHandler(TLSHandler(client: secure, host: target.host)) }
                        try pipeline.addHTTPClientHandlers()
                        try pipeline.addHandler(HTTP1ToHTTPClientCodec())
                        return try Connection(wrappingChannelSynchronously: channel)
                    }
                }
        } catch {
            throw .connect(target, reason: "\(ConnectionFailure(error))")
        }
    }

    private func tlsContext() throws(HTTPCallError) -> TLSContext {
        if let context = context.withLockedValue({ $0 }) { return context }
        do throws(TLSFailure) {
            let trust: TLSTrust = if let authorities { .authorities(try PEM.file(authorities)) } else { .system }
            let new = try TLSContext.client(trust)
            context.withLockedValue { $0 = new }
            return new
        } catch {
            let reason = if case .file(_, let reason) = error { reason } else { error.description }
            throw .authorities(path: authorities ?? "the machine's store", reason: reason)
        }
    }

    private func parts(of call: HTTPCall) -> [HTTPRequestPart] {
        var fields = HTTPFields()
        for (name, value) in call.fields {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        fields[.connection] = "close"
        fields[.userAgent] = agent
        if !call.body.isEmpty || call.method == "POST" || call.method == "PUT" {
            fields[.contentLength] = String(call.body.count)
        }
        let head = HTTPRequest(
            method: HTTPRequest.Method(call.method) ?? .get, scheme: call.target.isSecure ? "https" : "http",
            authority: call.target.authority, path: call.target.path, headerFields: fields)
        return [.head(head)] + (call.body.isEmpty ? [] : [.body(ByteBuffer(bytes: call.body))]) + [.end(nil)]
    }

    private static func fields(_ response: HTTPResponse) -> [String: String] {
        var fields: [String: String] = [:]
        for field in response.headerFields { fields[field.name.canonicalName] = field.value }
        return fields
    }
}
