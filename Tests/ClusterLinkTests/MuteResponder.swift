import NIOCore
import NIOHTTP1

/// Completes a promise when the connection has ended, and answers nothing.
final class MuteResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let asked: EventLoopPromise<Void>
    private let ended: EventLoopPromise<Void>

    init(asked: EventLoopPromise<Void>, ended: EventLoopPromise<Void>) {
        self.asked = asked
        self.ended = ended
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) { asked.succeed() }
    }

    func channelInactive(context: ChannelHandlerContext) { ended.succeed() }
}
