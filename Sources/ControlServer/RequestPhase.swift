/// Where one HTTP/1.1 connection stands between its requests and answers. Says what to do with the one timer of the connection; does
/// nothing itself.
struct RequestPhase {
    enum Timer: Equatable {
        /// Restart it with the time for idle connections.
        case idle
        /// Restart it with the time to send a request.
        case sending
        case stop
        case keep
    }

    enum Expiry: Equatable {
        /// Nothing was asked: close.
        case close
        /// A request came too slowly and nothing was answered yet.
        case answerTimeout
        case ignore
    }

    /// Requests that have arrived whole and whose answer has not ended.
    private var unanswered = 0
    /// A request has begun (its first byte, or its head) and has not ended.
    private var isSending = false
    /// Something of the answer to the request being sent has gone out.
    private var isAnswering = false
    /// Answers that ended before their request did.
    private var isAnsweredEarly = false

    mutating func bytesArrived() -> Timer {
        guard !isSending, unanswered == 0 else { return .keep }
        isSending = true
        return .sending
    }

    mutating func headArrived() -> Timer {
        if isSending { return .keep }
        isSending = true
        return .sending
    }

    mutating func requestEnded() -> Timer {
        isSending = false
        if isAnsweredEarly {
            isAnsweredEarly = false
            return .idle
        }
        unanswered += 1
        return .stop
    }

    mutating func answerBegan() {
        isAnswering = true
    }

    mutating func answerEnded() -> Timer {
        isAnswering = false
        if unanswered > 0 {
            unanswered -= 1
            if unanswered > 0 { return .keep }
            return isSending ? .keep : .idle
        }
        if isSending { isAnsweredEarly = true }
        return .keep
    }

    /// An answer of the connection's own is only possible where no other has begun.
    var canAnswer: Bool { !isAnswering && unanswered == 0 && !isAnsweredEarly }

    func timerExpired() -> Expiry {
        if isSending { return canAnswer ? .answerTimeout : .close }
        return unanswered > 0 ? .ignore : .close
    }
}
