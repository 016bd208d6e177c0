internal import NIOConcurrencyHelpers
internal import Signaling

/// What a session shows at any time, and to whom it tells what happens.
final class SessionBoard: Sendable {
    struct Snapshot: Sendable {
        var status = SessionStatus.notConnected
        var model = SessionModel()
        var publishers: [Publisher] = []
        var subscribers: [StreamID: Subscriber] = [:]
    }

    private struct State {
        var snapshot = Snapshot()
        var delegates: [DelegateSeat] = []
    }

    /// Delegates that a session has at most.
    static let delegateLimit = 16

    private let state = NIOLockedValueBox(State())
    let events = FeedHub<SessionEvent>()

    var snapshot: Snapshot { state.withLockedValue { $0.snapshot } }

    func update(_ body: (inout Snapshot) -> Void) { state.withLockedValue { body(&$0.snapshot) } }

    func send(_ event: SessionEvent) {
        let delegates = state.withLockedValue { $0.delegates }
        events.send(event)
        for delegate in delegates { delegate.send(event) }
    }

    func add(_ delegate: DelegateSeat) {
        state.withLockedValue { state in
            state.delegates.removeAll { $0.isEmpty }
            if state.delegates.count < Self.delegateLimit { state.delegates.append(delegate) }
        }
    }

    func removeDelegates() { state.withLockedValue { $0.delegates.removeAll() } }
}
