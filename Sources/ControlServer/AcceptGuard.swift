import CLinuxNet
import NIOCore

/// First handler of the listening socket: closes connections that would use up the process's last file descriptors, and then pauses
/// accepting.
///
/// NIO's own handler pauses when `accept` fails with EMFILE. That is too late: libdispatch traps when it cannot open a file.
final class AcceptGuard: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    /// Time until accepting resumes.
    static let pause = TimeAmount.milliseconds(250)

    private let ceiling: Int
    private let statistics: ControlStatistics
    private var isPaused = false
    /// Whether NIO requested a read during the pause.
    private var isReadPending = false

    /// - Parameter ceiling: lowest descriptor number that accepted connections may not have.
    init(ceiling: Int, statistics: ControlStatistics) {
        self.ceiling = ceiling
        self.statistics = statistics
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard Self.nextDescriptor >= ceiling else { return context.fireChannelRead(data) }
        unwrapInboundIn(data).close(promise: nil)
        pauseAccepting(context)
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { isReadPending = true } else { context.read() }
    }

    /// Counts a failed `accept`. On EMFILE and ENFILE, NIO's own handler, which follows this one, pauses for 1 s.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is IOError { statistics.acceptPaused() }
        context.fireErrorCaught(error)
    }

    private func pauseAccepting(_ context: ChannelHandlerContext) {
        guard !isPaused else { return }
        isPaused = true
        statistics.acceptPaused()
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pause) {
            let (handler, context) = bound.value
            handler.resume(context)
        }
    }

    private func resume(_ context: ChannelHandlerContext) {
        isPaused = false
        guard isReadPending else { return }
        isReadPending = false
        context.read()
    }

    /// Lowest free descriptor, which the kernel assigns next. `Int.max` if there is none.
    static var nextDescriptor: Int {
        let descriptor = millrace_event_open()
        guard descriptor >= 0 else { return .max }
        millrace_close(descriptor)
        return Int(descriptor)
    }
}
