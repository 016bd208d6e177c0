import Signaling

/// Request of a client about its subscribe peer connection that waits for the calls before it.
enum SubscriberRequest: Sendable {
    case answer(MediaRequestID, AnswerRequest)
    case restart(MediaRequestID)

    var id: MediaRequestID {
        switch self {
        case .answer(let id, _), .restart(let id): id
        }
    }
}
