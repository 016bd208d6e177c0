package import Cluster
package import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOWebSocket

extension LinkCaller {
    /// Messages that are queued for the reader of a WebSocket, apart from those that one read of the socket brings.
    static let messageQueue = (low: 1, high: 4)

    private enum Upgrade: Sendable {
        case socket(LinkSocket)
        case refused(EventLoopFuture<LinkError>)
    }

    /// Opens a WebSocket at another relay.
    ///
    /// - Parameters:
    ///   - path: path and query.
    ///   - fields: fields of the request, such as `Authorization`, `Origin` and `Sec-WebSocket-Protocol`. Those of the connection and of the
    ///     handshake are left out.
    ///   - authority: value of the `Host` field; nil: the relay's own.
    ///   - relay: the home relay.
    /// - Throws: `refused` with the response if the relay does not open a WebSocket; `connect`, `timeout` or `broken`; `broken` also if the
    ///   task is cancelled.
    package func connect(
        path: String, fields: HTTPFields, authority: String? = nil, to relay: RelayDescription
    ) async throws(LinkError) -> LinkSocket {
        var headers = HTTPHeaders([("Host", authority ?? relay.link), ("Content-Length", "0")])
        headers.add(contentsOf: HTTPHeaders(fields.withoutSocket()))
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
        let settings = settings
        let (channel, upgrade) = try await dial(LinkTarget(relay)) { channel in
            (channel, try Self.prepare(channel, head, settings))
        }
        do {
            return try await withTaskCancellationHandler {
                switch try await upgrade.get() {
                case .socket(let socket): return socket
                case .refused(let refusal): throw try await refusal.get()
                }
            } onCancel: {
                channel.pipeline.fireErrorCaught(CancellationError())
                channel.close(promise: nil)
            }
        } catch ChannelError.inappropriateOperationForState {
            // The error of the upgrade of a channel that closes.
            throw .broken("the relay closed the connection")
        } catch {
            channel.close(promise: nil)
            throw LinkError(error, isAnswered: false)
        }
    }

    private static func prepare(
        _ channel: any Channel, _ head: HTTPRequestHead, _ settings: LinkSettings
    ) throws -> EventLoopFuture<Upgrade> {
        // Covers a refusal's body as well.
        let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(settings.headTime)) {
            channel.pipeline.fireErrorCaught(LinkError.timeout)
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in alarm.cancel() }
        let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade>(
            maxFrameSize: settings.messageBytes, enableAutomaticErrorHandling: false
        ) { channel, _ in
            alarm.cancel()
            return channel.eventLoop.makeCompletedFuture { .socket(try socket(channel, settings)) }
        }
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Upgrade>(
            upgradeRequestHead: head, upgraders: [upgrader]
        ) { channel in
            let refusal = channel.eventLoop.makePromise(of: LinkError.self)
            return channel.eventLoop.makeCompletedFuture {
                do {
                    try channel.pipeline.syncOperations.addHandler(
                        RefusalHandler(refusal, limit: settings.refusalBytes))
                } catch {
                    refusal.fail(error)
                }
                return .refused(refusal.futureResult)
            }
        }
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
        // The first messages may follow the response at once.
        pipeline.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: pipeline)
    }

    /// Adds the handlers of messages behind those of frames.
    static func socket(_ channel: any Channel, _ settings: LinkSettings) throws -> LinkSocket {
        let (flow, sequence) = InboundFlow<LinkSocketInput>.make(
            channel, low: messageQueue.low, high: messageQueue.high)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: settings.messageFragments,
                maxAccumulatedFrameSize: settings.messageBytes))
        try pipeline.addHandler(LinkSocketHandler(flow, settings))
        return LinkSocket(sequence, over: channel)
    }
}
