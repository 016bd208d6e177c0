import NIOConcurrencyHelpers
import Signaling

/// Public state of a messaging client, and the distribution of its events to readers and delegates.
final class MessagingBoard: Sendable {
    struct Snapshot: Sendable {
        var status = SessionStatus.notConnected
        var user: String?
    }

    private let state = NIOLockedValueBox(Snapshot())
    private let delegates = DelegateList<ConversationEvent>()
    let events = FeedHub<ConversationEvent>()

    var snapshot: Snapshot { state.withLockedValue { $0 } }

    func update(_ body: (inout Snapshot) -> Void) { state.withLockedValue { body(&$0) } }

    func send(_ event: ConversationEvent) {
        events.send(event)
        delegates.send(event)
    }

    func add(_ delegate: DelegateSeat<ConversationEvent>) { delegates.add(delegate) }

    func removeDelegates() { delegates.removeAll() }
}
