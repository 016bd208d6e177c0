import NIOConcurrencyHelpers
import Signaling

/// Public state of a session, and the distribution of its events to readers and delegates.
final class SessionBoard: Sendable {
    struct Snapshot: Sendable {
        var status = SessionStatus.notConnected
        var model = SessionModel()
        var publishers: [Publisher] = []
        var subscribers: [StreamID: Subscriber] = [:]
    }

    private let state = NIOLockedValueBox(Snapshot())
    private let delegates = DelegateList<SessionEvent>()
    let events = FeedHub<SessionEvent>()
    let subsessionEvents = FeedHub<SubsessionEvent>()
    let chatEvents = FeedHub<ChatEvent>()
    let userCanvases = UserCanvases()

    var snapshot: Snapshot { state.withLockedValue { $0 } }

    func update(_ body: (inout Snapshot) -> Void) { state.withLockedValue { body(&$0) } }

    func send(_ event: SessionEvent) {
        events.send(event)
        switch event {
        case .subsessions(let event): subsessionEvents.send(event)
        case .chat(let event): chatEvents.send(event)
        default: break
        }
        delegates.send(event)
    }

    func add(_ delegate: DelegateSeat<SessionEvent>) { delegates.add(delegate) }

    func removeDelegates() { delegates.removeAll() }
}
