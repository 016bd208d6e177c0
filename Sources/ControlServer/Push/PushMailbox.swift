import CLinuxNet
import NIOConcurrencyHelpers
import WebRTCClient

/// Messages to the thread of a push, which their event wakes.
final class PushMailbox: Sendable {
    enum Message: Sendable {
        case answered(call: UInt64, Result<PushAnswer, PushFailure>)
        case stop
    }

    /// Event that is readable after `post`, until `take`.
    let event = millrace_event_open()
    private let messages = NIOLockedValueBox<[Message]>([])

    deinit { millrace_close(event) }

    func post(_ message: Message) {
        messages.withLockedValue { $0.append(message) }
        millrace_event_signal(event)
    }

    func take() -> [Message] {
        millrace_event_clear(event)
        return messages.withLockedValue { messages in
            defer { messages = [] }
            return messages
        }
    }
}
