import NIOConcurrencyHelpers
public import Signaling

/// A subscription to one stream, with its decoded audio and video. Created by `Session.subscribe(to:)`.
public final class Subscriber: Sendable {
    struct State: Sendable {
        var preferences: SubscriptionPreferences
        var isConnected = false
        var isVideoEnabled = true
        var isDropped = false
        var isSuspended = false
        var isEnded = false
        var isEncrypted = false
        var frameKeys = FrameKeys()
        /// The relay was told to send no video, because it cannot be decrypted.
        var isVideoSuspended = false
        var thread: MediaThread?
        /// Statistics of the last peer connection, saved when its media ended there.
        var lastStatistics = SubscriberStatistics()
    }

    /// Maximum number of events buffered for one reader.
    static let eventLimit = 64

    /// Id of the subscribed stream.
    public let stream: StreamID
    /// Raw frames and audio of the stream.
    public let canvas = Canvas()
    /// Canvases that receive the frames and audio: its own, and that of the publishing user.
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

    /// Current preferences of the subscription.
    public var preferences: SubscriptionPreferences { state.withLockedValue { $0.preferences } }
    /// Whether media can flow.
    public var isConnected: Bool { state.withLockedValue { $0.isConnected } }
    /// Whether the relay sends video; false while the path lacks the capacity or the publisher sends none.
    public var isVideoEnabled: Bool { state.withLockedValue { $0.isVideoEnabled } }
    /// Whether the publisher and the local user are in different subsessions, so that no media flows until they are in the same one.
    public var isSuspended: Bool { state.withLockedValue { $0.isSuspended } }
    /// Whether the subscription has ended.
    public var isEnded: Bool { state.withLockedValue { $0.isEnded } }

    /// A new reader of the subscription's events from now on.
    public var events: Feed<SubscriberEvent> { hub.feed(limit: Self.eventLimit) }

    /// Changes the preferences: audio and video on or off, size, frame rate and priority. No renegotiation is needed.
    /// - Throws: `notSubscribed` if the subscription has ended; `invalidField` for preferences out of range; `notConnected`. After an
    ///   error the former preferences remain in effect.
    public func setPreferences(_ preferences: SubscriptionPreferences) async throws(SessionError) {
        guard let core = owner.object else { throw SessionError(.notConnected) }
        try await core.request(UpdateSubscriptionRequest(stream: stream, preferences: preferences))
        state.withLockedValue { $0.preferences = preferences }
    }

    /// Statistics of the subscription; after its end, the last ones. They restart from zero if the session is joined again.
    public var statistics: SubscriberStatistics {
        get async {
            let thread = state.withLockedValue { $0.thread }
            let present = await thread?.call { connections in connections.subscribing?.statistics(of: self) }
            return (present ?? nil) ?? state.withLockedValue { $0.lastStatistics }
        }
    }

    // MARK: calls by the session

    func take(_ change: SubscriptionChanged) {
        switch change.state {
        case .connected: setConnected()
        case .videoDisabled:
            state.withLockedValue { $0.isVideoEnabled = false }
            hub.send(.videoDisabled(change.reason ?? .publisher))
        case .videoEnabled:
            let isNews = state.withLockedValue { state in
                defer { state.isVideoEnabled = true }
                return !state.isVideoEnabled
            }
            // The relay repeats it after a take-over.
            if isNews { hub.send(.videoEnabled(change.reason ?? .publisher)) }
        case .dropped: setDropped(true)
        case .reconnected: setDropped(false)
        case .suspended: setSuspended(true)
        case .resumed: setSuspended(false)
        case .failed: end(nil)
        }
    }

    /// Resets the state before the subscription is made again, because the relay no longer knows it.
    func beginAgain(thread: MediaThread) {
        state.withLockedValue { state in
            state.thread = thread
            state.isConnected = false
        }
        // If the stream is still suspended, the relay reports it again.
        setSuspended(false)
    }

    /// Saves the statistics when the subscription's media leaves a peer connection.
    func keep(_ statistics: SubscriberStatistics) { state.withLockedValue { $0.lastStatistics = statistics } }

    // MARK: end-to-end encryption

    /// Whether frames have to be decrypted, and with which keys.
    var decryption: (isEncrypted: Bool, keys: FrameKeys) { state.withLockedValue { ($0.isEncrypted, $0.frameKeys) } }

    func setEncrypted(_ isEncrypted: Bool, _ keys: FrameKeys) {
        state.withLockedValue { ($0.isEncrypted, $0.frameKeys) = (isEncrypted, keys) }
    }

    /// Preferences that the relay has: without video that cannot be decrypted.
    var effectivePreferences: SubscriptionPreferences {
        state.withLockedValue { state in
            var preferences = state.preferences
            if state.isVideoSuspended { preferences.video = false }
            return preferences
        }
    }

    func setFrameKeys(_ keys: FrameKeys) { state.withLockedValue { $0.frameKeys = keys } }

    /// - Returns: true for the first call.
    func suspendVideo() -> Bool {
        state.withLockedValue { state in
            defer { state.isVideoSuspended = true }
            return !state.isVideoSuspended && !state.isEnded
        }
    }

    /// - Returns: true if the video was suspended.
    func restoreVideo() -> Bool {
        state.withLockedValue { state in
            defer { state.isVideoSuspended = false }
            return state.isVideoSuspended
        }
    }

    func encryptionFailed(_ action: DecryptionWatch.Action) {
        guard let core = owner.object else { return }
        Task { [stream] in
            switch action {
            case .report(let failure): await core.encryptionFailed(stream, failure)
            case .stopVideo: await core.stopUndecryptableVideo(stream)
            }
        }
    }

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
