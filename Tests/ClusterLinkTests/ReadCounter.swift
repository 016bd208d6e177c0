import NIOCore
import Synchronization

/// First handler of a channel: counts what the others ask the socket to read.
final class ReadCounter: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Any

    private let reads = Mutex(0)

    var count: Int { reads.withLock { $0 } }

    func read(context: ChannelHandlerContext) {
        reads.withLock { $0 += 1 }
        context.read()
    }
}
