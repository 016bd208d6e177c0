import NIOCore
import NIOWebSocket
import Synchronization

/// Handler that acts as a socket whose peer does not read: keeps frames, and completes their writes on demand.
final class WriteHolder: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = WebSocketFrame

    private struct State {
        var frames: [WebSocketFrame] = []
        var promises: [EventLoopPromise<Void>] = []
    }

    private let state = Mutex(State())
    /// Frames as they are written.
    let arrivals: AsyncStream<WebSocketFrame>
    private let arrive: AsyncStream<WebSocketFrame>.Continuation

    init() { (arrivals, arrive) = AsyncStream.makeStream() }

    /// All frames that were written.
    var frames: [WebSocketFrame] { state.withLock { $0.frames } }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let frame = unwrapOutboundIn(data)
        state.withLock { state in
            state.frames.append(frame)
            if let promise { state.promises.append(promise) }
        }
        arrive.yield(frame)
    }

    /// Completes the writes so far, on the event loop.
    func release() {
        let promises = state.withLock { state in
            defer { state.promises = [] }
            return state.promises
        }
        for promise in promises { promise.succeed() }
    }
}
