import SDP
import Signaling

/// Sequence of calls about one subscribe peer connection, of which one is in progress.
struct SubscriberOperation: Sendable {
    enum Goal: Sendable {
        /// Opens the peer connection, then subscribes to the stream.
        case open(StreamID, SubscriptionPreferences)
        case subscribe(StreamID)
        case update
        /// Ends a subscription; `then` begins it again.
        case unsubscribe(StreamID, then: SubscriptionPreferences?)
        case answer(MediaRequestID, SubscribeAgreement)
        case restart(MediaRequestID)
    }

    let goal: Goal
    /// Calls that follow the one in progress.
    var rest: ArraySlice<MediaOrder>
    /// Call in progress; nil while a new peer is moved to its client's location.
    var ticket: MediaTicket?
}
