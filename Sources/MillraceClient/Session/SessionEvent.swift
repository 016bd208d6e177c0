public import Signaling

/// What happens in a session, in order. The session's `users` and `streams` hold the change already when an event is told of.
public enum SessionEvent: Hashable, Sendable {
    /// Where the connection stands from now on.
    case statusChanged(SessionStatus)

    // MARK: the connection (CON-2, CON-3)
    /// The session was joined for the first time, as this user.
    case didConnect(UserInfo)
    /// The error that the disconnect after it is because of.
    case didFail(SessionError)
    /// The connection is over.
    case didDisconnect(DisconnectReason)
    /// The connection was lost; the client is on its way back.
    case didBeginReconnecting
    /// `isNewConnection`: the relay did not know the old one any more, the session was joined anew; publications and subscriptions were
    /// made again.
    case didReconnect(isNewConnection: Bool)
    /// The relay will end in so many seconds; the client moves by itself.
    case relayDraining(seconds: Int)
    /// Media does not reach the relay: ICE or DTLS has not completed within 10 s. The client keeps trying.
    case noMediaPath(NoMediaPath)
    /// Media can flow after all.
    case mediaPathFound(MediaDirection)

    // MARK: others
    /// Another client is there; also told of each that was there before.
    case connectionCreated(UserInfo)
    case connectionDestroyed(UserInfo, DisconnectReason)
    case userChanged(UserInfo)
    /// The session has become so large that the relay only counts users with neither stream nor role: these are still there, and no longer
    /// in `users`. A counted user that publishes or gets a role is told of by `connectionCreated`.
    case usersUnlisted([UserInfo])
    /// All users of the session, counted ones included.
    case userCountChanged(Int)
    /// A user's client was lost and may come back; false: it is back.
    case userDropped(ConnectionID, Bool)
    case hostChanged(ConnectionID?)

    // MARK: streams of others, and of one's own (STR-2)
    case streamCreated(StreamInfo)
    case streamChanged(StreamInfo)
    case streamDestroyed(StreamInfo, StreamEndReason)
    /// The relay records a stream from now on; also told of those that were recorded when the session was joined.
    case recordingStarted(StreamID)
    case recordingStopped(StreamID)

    // MARK: signals and moderation
    /// From nil: the application's server.
    case signal(from: ConnectionID?, type: String, data: String)
    case muteForced(isActive: Bool)
    /// A stream of one's own was muted by a moderator; its sound, its pictures, or (nil) both.
    case streamMuteForced(StreamID, TrackKind?)
    case unmuteRequested(from: ConnectionID, kind: TrackKind)
    /// A moderator has unmuted one's own streams, as the relay's `mute.unmuteOthers` allows it: they are sent again.
    case unmuted(by: ConnectionID, kind: TrackKind)
    case shareLockChanged(isLocked: Bool)
    case activeSpeakerChanged(StreamID?)

    // MARK: subsessions and chat
    case subsessions(SubsessionEvent)
    case chat(ChatEvent)
}
