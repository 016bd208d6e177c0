import NIOCore

/// Reports bytes to the deadline handler before they form a request head, so that a head sent one byte at a time is timed too. Drops all
/// input after the connection's last answer, so that it cannot become a WebSocket.
final class FirstByteHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let deadline: RequestDeadlineHandler

    init(deadline: RequestDeadlineHandler) {
        self.deadline = deadline
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !deadline.isFinished else { return }
        deadline.bytesArrived()
        context.fireChannelRead(data)
    }
}
