import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
package import Signaling

/// One WebSocket to the relay (RFC 6455), as a client: texts in both directions, in order, with bounds.
package final class WebSocketConnection: Sendable {
    /// Bytes of the largest message that is taken.
    static let messageLimit = SignalingProtocol.maximumRelayMessageBytes
    /// Messages that wait to be sent at most; more and the connection is given up.
    static let outgoingLimit = 4_096
    /// Bytes that are read of a refusal's body.
    static let refusalLimit = 64 * 1_024

    typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    typealias Refusal = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    enum Upgrade: Sendable {
        case webSocket(Frames)
        case refused(Refusal)
    }

    private let frames: Frames
    private let outgoing: AsyncStream<WebSocketFrame>
    private let sending: AsyncStream<WebSocketFrame>.Continuation

    private init(_ frames: Frames) {
        self.frames = frames
        (outgoing, sending) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.outgoingLimit))
    }

    /// - Throws: the relay's own error where it refused by HTTP, `invalidField` where the certificates that are to be trusted cannot be
    ///   read, else `connectFailed`.
    package static func open(_ target: WebSocketTarget) async throws(SignalingError) -> WebSocketConnection {
        let context: NIOSSLContext?
        do {
            context = target.isSecure ? try NIOSSLContext(configuration: target.tls) : nil
        } catch {
            // Nothing that another attempt would mend.
            let path = target.trustedCertificates ?? "the system's certificates"
            throw SignalingError(.invalidField, "\(path) cannot be used: \(error)", field: "trustedCertificates")
        }
        let upgrade: Upgrade
        do {
            upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.nanoseconds(target.timeout.rawValue))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: target.host, port: target.port) { channel in
                    channel.eventLoop.makeCompletedFuture { try prepare(channel, target, context) }
                }.get()
        } catch {
            throw SignalingError(.connectFailed, "\(target.host):\(target.port): \(error)")
        }
        switch upgrade {
        case .webSocket(let frames): return WebSocketConnection(frames)
        case .refused(let channel): throw await refusal(channel)
        }
    }

    private static func prepare(
        _ channel: any Channel, _ target: WebSocketTarget, _ context: NIOSSLContext?
    ) throws -> EventLoopFuture<Upgrade> {
        if let context {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: target.certificateName)
            try channel.pipeline.syncOperations.addHandler(handler)
        }
        // A relay that takes the connection and says nothing, or comes to no end with its refusal.
        let alarm = channel.eventLoop.scheduleTask(in: .nanoseconds(target.timeout.rawValue)) {
            channel.close(promise: nil)
        }
        let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade>(maxFrameSize: messageLimit) { channel, _ in
            alarm.cancel()
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
                        maxAccumulatedFrameSize: messageLimit))
                return .webSocket(try Frames(wrappingChannelSynchronously: channel))
            }
        }
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Upgrade>(
            upgradeRequestHead: target.requestHead, upgraders: [upgrader]
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                .refused(try Refusal(wrappingChannelSynchronously: channel))
            }
        }
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration))
    }

    /// Reads what the relay says instead of upgrading: a problem document with a code, as a rule.
    private static func refusal(_ channel: Refusal) async -> SignalingError {
        struct Problem: Decodable {
            var code: ErrorCode?
            var title: String?
            var detail: String?
            var limit: String?
        }
        var status = HTTPResponseStatus.internalServerError
        var body = ByteBuffer()
        do {
            try await channel.executeThenClose { inbound, _ in
                reading: for try await part in inbound {
                    switch part {
                    case .head(let head): status = head.status
                    case .body(var part):
                        guard body.readableBytes + part.readableBytes <= refusalLimit else { break reading }
                        body.writeBuffer(&part)
                    case .end: break reading
                    }
                }
            }
        } catch {
            return SignalingError(.connectFailed, "the relay did not open a WebSocket: \(error)")
        }
        let problem = try? JSONDecoder().decode(Problem.self, from: Data(body.readableBytesView))
        return SignalingError(
            problem?.code ?? .connectFailed,
            problem?.detail ?? problem?.title ?? "the relay answered \(status.code) instead of opening a WebSocket",
            limit: problem?.limit)
    }

    /// Takes a text to be sent, in the order of the calls.
    package func send(_ text: [UInt8]) {
        let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(bytes: text))
        if case .dropped = sending.yield(frame) { sending.finish() }
    }

    /// Ends `run`.
    /// - Parameter saysGoodbye: closes in order (RFC 6455 section 7), by which the relay knows that the client has left; else the
    ///   connection is cut.
    package func close(saysGoodbye: Bool) {
        if saysGoodbye {
            let code = ByteBuffer(bytes: [0x03, 0xe8])
            sending.yield(WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: code))
        }
        sending.finish()
    }

    /// Reads and sends until the connection ends.
    /// - Parameter message: gets each text; the next one is read when it returns.
    /// - Returns: why it ended, for people.
    package func run(_ message: @escaping @Sendable ([UInt8]) async -> Void) async -> String {
        do {
            return try await frames.executeThenClose { [outgoing, sending] inbound, outbound in
                try await withThrowingTaskGroup(of: String.self) { group in
                    group.addTask {
                        for await frame in outgoing { try await outbound.write(frame) }
                        return "closed"
                    }
                    group.addTask { try await Self.read(inbound, sending, message) }
                    defer { group.cancelAll() }
                    return try await group.next() ?? "closed"
                }
            }
        } catch {
            return "\(error)"
        }
    }

    private static func read(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, _ sending: AsyncStream<WebSocketFrame>.Continuation,
        _ message: @Sendable ([UInt8]) async -> Void
    ) async throws -> String {
        for try await frame in inbound {
            switch frame.opcode {
            case .text, .binary: await message(Array(frame.unmaskedData.readableBytesView))
            case .ping:
                sending.yield(
                    WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData))
            case .connectionClose:
                var data = frame.unmaskedData
                let code = data.readInteger(as: UInt16.self)
                let reason = String(buffer: data)
                return "the relay closed the connection"
                    + (code.map { " (\($0)\(reason.isEmpty ? "" : " " + reason))" } ?? "")
            default: break
            }
        }
        return "the connection was cut"
    }
}
