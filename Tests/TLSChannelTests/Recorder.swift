import NIOCore
import TLSChannel

/// Last handler of a channel: collects what arrives, and can echo it.
final class Recorder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private(set) var received: [UInt8] = []
    private(set) var errors: [any Error] = []
    private(set) var isInputClosed = false
    private(set) var isInactive = false
    var echoes = false

    var failures: [TLSFailure] { errors.compactMap { $0 as? TLSFailure } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        received += bytes.readableBytesView
        if echoes { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { isInputClosed = true }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isInactive = true
        context.fireChannelInactive()
    }
}
