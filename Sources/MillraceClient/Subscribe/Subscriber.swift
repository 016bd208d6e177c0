import NIOConcurrencyHelpers
public import Signaling

/// One subscription: a stream's pictures and sound as they come, decoded. `Session.subscribe(to:)` makes it.
public final class Subscriber: Sendable {
    struct State: Sendable {
        var preferences: SubscriptionPreferences
        var isConnected = false
        var isVideoEnabled = true
        var isDropped = false
        var isSuspended = false
        var isEnded = false
        var thread: MediaThread?
        /// Statistics of its last peer connection, taken when its media ended there.
        var lastStatistics = SubscriberStatistics()
    }

    /// Events that wait for a reader at most.
    static let eventLimit = 64

    /// What was subscribed to.
    public let stream: StreamID
    /// Its raw pictures and sound.
    public let canvas = Canvas()
    /// Canvases that get its frames and audio: its own, and that of its user.
    let canvases: [Canvas]
    let state: NIOLockedValueBox<State>
    private let owner: WeakBox<SessionCore>
    let hub = FeedHub<SubscriberEvent>()

    init(
        _ stream: StreamID, preferences: SubscriptionPreferences, core: SessionCore, thread: MediaThread,
        userCanvas: Canvas? = nil
    ) {
        self.stream = stream
        canvases = [canvas] + [userCanvas].compactMap { $0 }
        owner = WeakBox(core)
        state = NIOLockedValueBox(State(preferences: preferences, thread: thread))
    }

    /// What is wanted of the stream.
    public var preferences: SubscriptionPreferences { state.withLockedValue { $0.preferences } }
    /// Media can flow.
    public var isConnected: Bool { state.withLockedValue { $0.isConnected } }
    /// The relay sends pictures; false while the path does not carry them or the publisher sends none.
    public var isVideoEnabled: Bool { state.withLockedValue { $0.isVideoEnabled } }
    /// Publisher and oneself are in different rooms of the session: no media flows until they are in the same one.
    public var isSuspended: Bool { state.withLockedValue { $0.isSuspended } }
    /// The subscription is over.
    public var isEnded: Bool { state.withLockedValue { $0.isEnded } }

    /// What becomes of it, from now on.
    public var events: Feed<SubscriberEvent> { hub.feed(limit: Self.eventLimit) }

    /// Says what is wanted of the stream: sound and pictures on or off, size, rate and priority. Nothing is negotiated for it.
    /// - Throws: `notSubscribed` for a subscription that is over, `invalidField` for preferences out of range, `notConnected`; what was
    ///   wanted before then holds.
    public func setPreferences(_ preferences: SubscriptionPreferences) async throws(SessionError) {
        guard let core = owner.object else { throw SessionError(.notConnected) }
        try await core.request(UpdateSubscriptionRequest(stream: stream, preferences: preferences))
        state.withLockedValue { $0.preferences = preferences }
    }

    /// Statistics so far; after its end the last ones. They count from zero again after the session is joined again.
    public var statistics: SubscriberStatistics {
        get async {
            let thread = state.withLockedValue { $0.thread }
            let present = await thread?.call { room in room.subscribing?.statistics(of: self) }
            return (present ?? nil) ?? state.withLockedValue { $0.lastStatistics }
        }
    }

    // MARK: for the session

    func take(_ change: SubscriptionChanged) {
        switch change.state {
        case .connected: setConnected()
        case .videoDisabled:
            state.withLockedValue { $0.isVideoEnabled = false }
            hub.send(.videoDisabled(change.reason ?? .publisher))
        case .videoEnabled:
            state.withLockedValue { $0.isVideoEnabled = true }
            hub.send(.videoEnabled(change.reason ?? .publisher))
        case .dropped: setDropped(true)
        case .reconnected: setDropped(false)
        case .suspended: setSuspended(true)
        case .resumed: setSuspended(false)
        case .failed: end(nil)
        }
    }

    /// The relay knows nothing of it any more: it is asked for again.
    func beginAgain(thread: MediaThread) {
        state.withLockedValue { state in
            state.thread = thread
            state.isConnected = false
        }
        // What was told to begin is told to end; where it is so still, the relay says it again.
        setSuspended(false)
    }

    /// Its media does not come by this peer connection any more.
    func keep(_ statistics: SubscriberStatistics) { state.withLockedValue { $0.lastStatistics = statistics } }

    func setConnected() {
        let isFirst = state.withLockedValue { state in
            defer { state.isConnected = true }
            return !state.isConnected
        }
        if isFirst { hub.send(.connected) }
    }

    func setDropped(_ isDropped: Bool) {
        let isChange = state.withLockedValue { state in
            defer { state.isDropped = isDropped }
            return state.isDropped != isDropped
        }
        if isChange { hub.send(isDropped ? .dropped : .reconnected) }
    }

    private func setSuspended(_ isSuspended: Bool) {
        let isChange = state.withLockedValue { state in
            defer { state.isSuspended = isSuspended }
            return state.isSuspended != isSuspended
        }
        if isChange { hub.send(isSuspended ? .suspended : .resumed) }
    }

    func end(_ reason: StreamEndReason?) {
        let isFirst = state.withLockedValue { state in
            defer {
                state.isEnded = true
                state.isConnected = false
            }
            return !state.isEnded
        }
        guard isFirst else { return }
        hub.send(.ended(reason))
        hub.finish()
        canvas.finish()
    }
}
