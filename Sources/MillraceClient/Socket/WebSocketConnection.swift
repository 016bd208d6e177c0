import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOWebSocket
package import Signaling
import TLSChannel

/// Client side of one WebSocket to the relay (RFC 6455): text messages in both directions, in order, with limits.
package final class WebSocketConnection: Sendable {
    /// Maximum size of a received message in bytes.
    static let messageLimit = SignalingProtocol.maximumRelayMessageBytes
    /// Maximum number of queued outgoing messages; beyond it, the connection is closed.
    static let outgoingLimit = 4_096
    /// Maximum number of bytes read of an HTTP error's body.
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

    /// Connects to the relay.
    /// - Throws: the relay's error if it refused with an HTTP response; `invalidField` if the trusted certificates cannot be read;
    ///   otherwise `connectFailed`.
    package static func open(_ target: WebSocketTarget) async throws(SignalingError) -> WebSocketConnection {
        let context: TLSContext?
        do throws(TLSFailure) {
            context = try target.tls()
        } catch {
            // Another attempt would fail as well.
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
        _ channel: any Channel, _ target: WebSocketTarget, _ context: TLSContext?
    ) throws -> EventLoopFuture<Upgrade> {
        if let context {
            try channel.pipeline.syncOperations.addHandler(TLSHandler(client: context, host: target.host))
        }
        // Closes the connection if the relay accepts it but sends no response, or never completes an error response.
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

    /// Reads the HTTP response of a relay that did not upgrade; it is usually a problem document (RFC 9457) with an error code.
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

    /// Queues a text message; messages are sent in the order of the calls.
    package func send(_ text: [UInt8]) {
        let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(bytes: text))
        if case .dropped = sending.yield(frame) { sending.finish() }
    }

    /// Ends `run`.
    /// - Parameter saysGoodbye: if true, sends a close frame (RFC 6455 section 7), which tells the relay that the client has left;
    ///   otherwise cuts the connection.
    package func close(saysGoodbye: Bool) {
        if saysGoodbye {
            let code = ByteBuffer(bytes: [0x03, 0xe8])
            sending.yield(WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: code))
        }
        sending.finish()
    }

    /// Receives and sends until the connection ends.
    /// - Parameter message: called with each text message; the next one is read after it returns.
    /// - Returns: human-readable reason for the end.
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
