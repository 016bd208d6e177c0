import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import TLSChannel

/// Pipeline of one connection. HTTP/1.1 has a deadline for the first byte, head limits in the decoder, and behind it a request deadline and
/// early answers. For the first request, handlers in between can upgrade the connection to a WebSocket.
struct ControlChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = ControlConnection

    let responder: HTTPChannelHandler.Responder
    let configuration: ControlConfiguration
    let statistics: ControlStatistics
    let bodies: OpenBodies
    let addresses: HTTPAddresses
    /// TLS settings for a new connection; nil: no TLS.
    let tls: (@Sendable () -> TLSContext)?
    let connect: ConnectHandler
    let apps: AppDirectory
    /// Guard of WebSocket handshakes, unless session tokens are secret.
    let pages: PageGuard

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // A client that closes its side has left: its canvas tap must end at once, before a write fails.
            try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = configuration.headerBytes
            limits.maxHeaderListSize = configuration.headerBytes
            let deadline = RequestDeadlineHandler(
                configuration: configuration, statistics: statistics, bodies: bodies, addresses: addresses)
            let pipeline = channel.pipeline.syncOperations
            if let tls {
                try pipeline.addHandler(
                    TLSHandler(server: tls(), handshakeTime: TimeAmount(configuration.firstTime)))
            }
            try pipeline.addHandler(FirstByteHandler(deadline: deadline))
            let upgrade = try addHTTP(to: pipeline, limits)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: tls != nil))
            try pipeline.addHandler(deadline)
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return ControlConnection(channel: channel, spoken: upgrade.upgradeResultFuture)
        }
    }

    /// Adds the HTTP handlers that an upgrade removes, so that none of them is left on a WebSocket.
    private func addHTTP(
        to pipeline: ChannelPipeline.SynchronousOperations, _ limits: NIOHTTPDecoderLimitConfiguration
    ) throws -> NIOTypedHTTPServerUpgradeHandler<ControlConnection.Spoken> {
        let encoder = HTTPResponseEncoder()
        // Bytes after the handshake are the first frames.
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits))
        let singleHost = SingleHostHandler()
        // Any page can make a token of the built-in app, so only tokens of configured apps are secret.
        let areTokensSecret = apps.hasTenants && !configuration.isDevelopment
        // The edge has checked the page of a proxied client. `Host` names this relay, as the cluster's database does.
        let gate = UpgradeGate(
            bodies: bodies, unjoined: connect.unjoined, pages: areTokensSecret || connect.isLink ? nil : pages,
            statistics: statistics, isLink: connect.isLink)
        let upgrade = ConnectUpgrade(
            configuration: configuration, statistics: statistics, isLink: connect.isLink)
        let handler = NIOTypedHTTPServerUpgradeHandler<ControlConnection.Spoken>(
            httpEncoder: encoder, extraHTTPHandlers: [decoder, singleHost, gate],
            upgradeConfiguration: .init(
                upgraders: [upgrade.upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        .http(
                            try NIOAsyncChannel(
                                wrappingChannelSynchronously: channel,
                                configuration: .init(isOutboundHalfClosureEnabled: true)))
                    }
                }))
        try pipeline.addHandler(encoder)
        try pipeline.addHandler(decoder)
        try pipeline.addHandler(singleHost)
        try pipeline.addHandler(gate)
        try pipeline.addHandler(handler)
        return handler
    }

    func handle(value: Value, logger: Logger) async {
        let spoken = try? await withTaskCancellationHandler {
            try await value.spoken.get()
        } onCancel: {
            value.channel.close(promise: nil)
        }
        switch spoken {
        case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
        case .webSocket(let channel, .connect(let handshake)): await connect.handle(channel, handshake)
        case .webSocket(let channel, .media(let handshake)):
            let handler = MediaLinkHandler(liveSessions: connect.liveSessions, logger: connect.logger)
            await handler.handle(channel, handshake)
        // The connection ended before its first request.
        case nil: value.channel.close(promise: nil)
        }
    }
}
