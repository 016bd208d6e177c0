internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import NIOSSL

/// The pipeline of one HTTP/1.1 connection: deadline on the first byte, head limits in the decoder, deadline and early answers behind
/// it.
struct ControlChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let configuration: ControlConfiguration
    let statistics: ControlStatistics
    let bodies: OpenBodies
    /// Nil: no TLS.
    let certificates: CertificateStore?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // A client that closes its side has gone; a tap of its must end then and not at the next failing write.
            try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = configuration.headerBytes
            limits.maxHeaderListSize = configuration.headerBytes
            let deadline = RequestDeadlineHandler(
                configuration: configuration, statistics: statistics, bodies: bodies)
            let pipeline = channel.pipeline.syncOperations
            if let certificates { try pipeline.addHandler(NIOSSLServerHandler(context: certificates.context)) }
            try pipeline.addHandler(FirstByteHandler(deadline: deadline))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: certificates != nil))
            try pipeline.addHandler(deadline)
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
