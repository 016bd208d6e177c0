package import NIOCore

/// TLS as the first handler of a channel, on either side: encrypts what the other handlers write, and passes on what the peer sent.
///
/// A write succeeds when its encrypted bytes are written to the channel. Writes before the end of the handshake wait for it. The connection
/// ends with `close_notify` in both directions; if the peer's does not come, after a second. Each failure is a ``TLSFailure`` in the pipeline,
/// after which the channel closes.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// Default limit of the time of a handshake. A distant peer needs less than a second.
    package static let handshakeTime = TimeAmount.seconds(10)
    /// Maximum time from this end's `close_notify` to the peer's.
    package static let closingTime = TimeAmount.seconds(1)
    /// Maximum number of bytes written before the end of the handshake.
    package static let pendingBytes = 16 << 20
    /// Maximum bytes of protocol answers, such as key updates, while the peer does not read.
    package static let unreadAnswerBytes = 16_384

    private enum State {
        /// The channel is not active yet.
        case idle
        case handshaking
        case open
        /// Closed by this end, which waits for the peer's `close_notify`.
        case closing
        /// The channel is closed, or closes now.
        case closed
    }

    private let connection: TLSConnection
    private let handshakeTime: TimeAmount
    private var state = State.idle
    /// Writes before the end of the handshake.
    private var pending = PendingWrites()
    /// The peer sent `close_notify`, or closed its side of the TCP connection.
    private var isInputClosed = false
    /// This end sent `close_notify`.
    private var isOutputClosed = false
    /// Whether plaintext was passed on since the last `channelReadComplete`.
    private var hasDelivered = false
    /// Bytes of answers written since the channel was last writable.
    private var unreadAnswers = 0
    /// Completed when the channel has closed.
    private var closing: EventLoopPromise<Void>?
    private var timer: Scheduled<Void>?

    /// Creates the handler of a server's connection.
    package init(
        server context: TLSContext, handshakeTime: TimeAmount = TLSHandler.handshakeTime
    ) throws(TLSFailure) {
        self.handshakeTime = handshakeTime
        connection = try TLSConnection(context, server: nil)
    }

    /// Creates the handler of a client's connection.
    /// - Parameter host: name or numeric address without brackets, which the server's certificate must have unless the context trusts a
    ///   fingerprint or everyone.
    /// - Throws: `invalidName`.
    package init(
        client context: TLSContext, host: String, handshakeTime: TimeAmount = TLSHandler.handshakeTime
    ) throws(TLSFailure) {
        self.handshakeTime = handshakeTime
        connection = try TLSConnection(context, server: host)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        dropPending(ChannelError.ioOnClosedChannel)
        closing?.succeed()
        closing = nil
    }

    package func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        begin(context)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        let failure: TLSFailure? =
            switch state {
            case .handshaking: .closedDuringHandshake
            case .open where !isInputClosed: .truncated
            case .idle, .open, .closing, .closed: nil
            }
        state = .closed
        timer?.cancel()
        dropPending(failure ?? ChannelError.ioOnClosedChannel)
        closing?.succeed()
        closing = nil
        if let failure { context.fireErrorCaught(failure) }
        context.fireChannelInactive()
    }

    // MARK: input

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var input = unwrapInboundIn(data)
        while let part = input.readSlice(length: min(input.readableBytes, TLSConnection.receiveBytes)),
            part.readableBytes > 0
        {
            // After `close_notify` nothing counts (RFC 8446 section 6.1).
            guard !isInputClosed else { return }
            if case .closed = state { return }
            do throws(TLSFailure) {
                try connection.receive(part)
            } catch {
                return fail(error, context)
            }
            if case .handshaking = state { shakeHands(context) }
            decrypt(context)
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        if hasDelivered {
            hasDelivered = false
            context.fireChannelReadComplete()
            return
        }
        // A reader that asked for input has received none. If reading is automatic, the channel goes on by itself.
        if isClosing || (try? context.channel.syncOptions?.getOption(.autoRead)) == false { context.read() }
    }

    private var isClosing: Bool {
        if case .closing = state { true } else { false }
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        state = .handshaking
        start(handshakeTime, context) { handler, context in handler.fail(.timedOut, context) }
        shakeHands(context)
    }

    private func shakeHands(_ context: ChannelHandlerContext) {
        do throws(TLSFailure) {
            let isComplete = try connection.handshake()
            flushOutput(context)
            guard isComplete, case .handshaking = state else { return }
        } catch {
            return fail(error, context)
        }
        state = .open
        timer?.cancel()
        sendPending(context)
    }

    private func decrypt(_ context: ChannelHandlerContext) {
        switch state {
        case .open, .closing: break
        case .idle, .handshaking, .closed: return
        }
        var plaintext = context.channel.allocator.buffer(capacity: connection.pendingInput + 1_024)
        let progress = connection.read(into: &plaintext)
        let answers = flushOutput(context)
        unreadAnswers = context.channel.isWritable ? 0 : unreadAnswers + answers
        if case .open = state, plaintext.readableBytes > 0 {
            hasDelivered = true
            context.fireChannelRead(wrapInboundOut(plaintext))
        }
        switch progress {
        case .needsInput:
            if unreadAnswers > Self.unreadAnswerBytes { fail(.unreadAnswers, context) }
        case .closed: peerClosed(context)
        case .failed(let failure): fail(failure, context)
        }
    }

    /// Handles the peer's `close_notify`.
    private func peerClosed(_ context: ChannelHandlerContext) {
        isInputClosed = true
        switch state {
        case .idle, .handshaking, .closed: break
        case .closing: closeChannel(context)
        case .open:
            let canWriteOn = (try? context.channel.syncOptions?.getOption(.allowRemoteHalfClosure)) == true
            if canWriteOn, !isOutputClosed {
                context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            } else {
                sendCloseNotify(context)
                closeChannel(context)
            }
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        switch state {
        case .idle, .closed: context.fireUserInboundEventTriggered(event)
        case .handshaking: fail(.closedDuringHandshake, context)
        case .closing: closeChannel(context)
        case .open where isInputClosed: break
        case .open:
            isInputClosed = true
            context.fireErrorCaught(TLSFailure.truncated)
            context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: output

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        switch state {
        case .idle, .handshaking:
            guard pending.bytes + bytes.readableBytes <= Self.pendingBytes else {
                let failure = TLSFailure.tooManyPendingBytes(limit: Self.pendingBytes)
                promise?.fail(failure)
                return fail(failure, context)
            }
            pending.add(bytes, promise)
        case .open where isOutputClosed: promise?.fail(ChannelError.outputClosed)
        case .open: encrypt(bytes, promise, context)
        case .closing, .closed: promise?.fail(ChannelError.ioOnClosedChannel)
        }
    }

    package func flush(context: ChannelHandlerContext) {
        switch state {
        case .idle, .handshaking: pending.isFlushed = true
        case .open, .closing, .closed: context.flush()
        }
    }

    private func sendPending(_ context: ChannelHandlerContext) {
        let pending = self.pending
        self.pending = PendingWrites()
        for write in pending.writes {
            if case .open = state {
                encrypt(write.bytes, write.promise, context)
            } else {
                write.promise?.fail(ChannelError.ioOnClosedChannel)
            }
        }
        if pending.isFlushed { context.flush() }
        if let promise = pending.close { close(context: context, mode: .output, promise: promise) }
    }

    /// Writes the encrypted bytes to the channel in pieces; `promise` is that of the last.
    private func encrypt(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        var rest = bytes
        while rest.readableBytes > TLSConnection.writeBytes, let part = rest.readSlice(length: TLSConnection.writeBytes)
        {
            guard encryptPiece(part, nil, context) else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
        }
        _ = encryptPiece(rest, promise, context)
    }

    private func encryptPiece(
        _ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) -> Bool {
        do throws(TLSFailure) {
            try write(bytes)
        } catch {
            promise?.fail(error)
            fail(error, context)
            return false
        }
        let output = connection.takeOutput(context.channel.allocator) ?? context.channel.allocator.buffer(capacity: 0)
        context.write(wrapOutboundOut(output), promise: promise)
        return true
    }

    private func write(_ bytes: ByteBuffer) throws(TLSFailure) {
        var failure: TLSFailure?
        bytes.withUnsafeReadableBytes { bytes in
            do throws(TLSFailure) { try connection.write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Sends what OpenSSL wrote by itself: messages of the handshake, alerts, answers.
    /// - Returns: its length in bytes.
    @discardableResult
    private func flushOutput(_ context: ChannelHandlerContext) -> Int {
        guard let output = connection.takeOutput(context.channel.allocator) else { return 0 }
        context.writeAndFlush(wrapOutboundOut(output), promise: nil)
        return output.readableBytes
    }

    private func dropPending(_ error: any Error) {
        let dropped = pending
        // Callbacks of the promises may write again.
        pending = PendingWrites()
        dropped.fail(error)
    }

    // MARK: close

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .input: promise?.fail(ChannelError.operationUnsupported)
        case .output: closeOutput(context, promise)
        case .all: closeAll(context, promise)
        }
    }

    private func closeOutput(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        switch state {
        case .idle, .handshaking:
            // The channel closes its side after the pending writes.
            pending.addClose(promise, context.eventLoop)
        case .open where isInputClosed: closeAll(context, promise)
        case .open:
            sendCloseNotify(context)
            context.close(mode: .output, promise: promise)
        case .closing: waitForClose(promise)
        case .closed: context.close(mode: .output, promise: promise)
        }
    }

    private func closeAll(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        switch state {
        case .idle, .handshaking, .closed:
            state = .closed
            timer?.cancel()
            dropPending(ChannelError.ioOnClosedChannel)
            context.close(promise: promise)
        case .open where isInputClosed:
            sendCloseNotify(context)
            state = .closed
            context.close(promise: promise)
        case .open:
            state = .closing
            closing = context.eventLoop.makePromise()
            waitForClose(promise)
            start(Self.closingTime, context) { handler, context in handler.closeChannel(context) }
            sendCloseNotify(context)
            // The answer must be read even if the other handlers read no more.
            if isClosing { context.read() }
        case .closing: waitForClose(promise)
        }
    }

    private func waitForClose(_ promise: EventLoopPromise<Void>?) {
        guard let promise else { return }
        if let closing { closing.futureResult.cascade(to: promise) } else { promise.succeed() }
    }

    private func sendCloseNotify(_ context: ChannelHandlerContext) {
        guard !isOutputClosed else { return }
        isOutputClosed = true
        connection.close()
        flushOutput(context)
    }

    /// Closes the channel, now that nothing remains to be sent or received.
    private func closeChannel(_ context: ChannelHandlerContext) {
        if case .closed = state { return }
        state = .closed
        timer?.cancel()
        let closing = closing
        self.closing = nil
        context.close(promise: closing)
    }

    private func fail(_ failure: TLSFailure, _ context: ChannelHandlerContext) {
        if case .closed = state { return }
        state = .closed
        timer?.cancel()
        // The alert that tells the peer.
        flushOutput(context)
        context.fireErrorCaught(failure)
        dropPending(failure)
        let closing = closing
        self.closing = nil
        context.close(promise: closing)
    }

    /// Starts the timer in place of one that is running.
    private func start(
        _ time: TimeAmount, _ context: ChannelHandlerContext,
        _ action: @escaping (TLSHandler, ChannelHandlerContext) -> Void
    ) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { action(self, context) }
    }
}
