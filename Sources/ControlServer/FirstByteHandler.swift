import NIOCore

/// Tells the deadline handler about bytes before they make a whole request head, so that a head sent one byte at a time is timed too. Of a
/// connection that has had its last answer nothing goes on: it is not to become a WebSocket.
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
