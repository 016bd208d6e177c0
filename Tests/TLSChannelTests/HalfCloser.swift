import NIOCore

/// First handler of a channel: acts as a socket that can close its output alone.
final class HalfCloser: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private(set) var isOutputClosed = false

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else {
            context.close(mode: mode, promise: promise)
            return
        }
        isOutputClosed = true
        promise?.succeed()
    }
}
