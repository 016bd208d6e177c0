/// State of one HTTP/1.1 connection between its requests and answers. Decides what the connection's only timer does; does no I/O itself.
struct RequestPhase {
    enum Timer: Equatable {
        /// Restart the timer with the time for idle connections.
        case idle
        /// Restart the timer with the time to send a request.
        case sending
        case stop
        case keep
    }

    enum Expiry: Equatable {
        /// No request has begun: close.
        case close
        /// A request came too slowly and has no answer yet.
        case answerTimeout
        case ignore
    }

    /// Complete requests whose answers have not ended.
    private var unanswered = 0
    /// Whether a request has begun (its first byte, or its head) and has not ended.
    private var isSending = false
    /// Whether a part of the answer to the current request has been sent.
    private var isAnswering = false
    /// Whether an answer ended before its request did.
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

    /// Whether the connection can send an answer of its own, which is possible only if no other answer has begun.
    var canAnswer: Bool { !isAnswering && unanswered == 0 && !isAnsweredEarly }

    func timerExpired() -> Expiry {
        if isSending { return canAnswer ? .answerTimeout : .close }
        return unanswered > 0 ? .ignore : .close
    }
}
