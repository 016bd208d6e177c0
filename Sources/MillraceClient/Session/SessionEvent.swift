public import Signaling

/// Event of a session, delivered in order. The session's properties already contain the change when its event is delivered.
public enum SessionEvent: Hashable, Sendable {
    /// The state of the connection has changed.
    case statusChanged(SessionStatus)

    // MARK: connection (CON-2, CON-3)
    /// The session was joined for the first time, as this user.
    case didConnect(UserInfo)
    /// The error that causes the disconnect that follows.
    case didFail(SessionError)
    /// The connection has ended.
    case didDisconnect(DisconnectReason)
    /// The connection was lost; the client is reconnecting.
    case didBeginReconnecting
    /// The connection is back. With `isNewConnection` the relay no longer knew the old connection: the client joined again, and
    /// publications and subscriptions were made again.
    case didReconnect(isNewConnection: Bool)
    /// The relay will shut down after this many seconds. If it names another relay, the client moves there by itself.
    case relayDraining(seconds: Int)
    /// Media does not reach the relay: ICE or DTLS did not complete within 10 s. The client keeps trying.
    case noMediaPath(NoMediaPath)
    /// A media path has been found after `noMediaPath`.
    case mediaPathFound(MediaDirection)

    // MARK: other users
    /// Another user is in the session; also sent after the join for each user already present.
    case connectionCreated(UserInfo)
    case connectionDestroyed(UserInfo, DisconnectReason)
    case userChanged(UserInfo)
    /// The session has become so large that the relay only counts users with neither stream nor role: these users are still in the
    /// session, but no longer in `users`. If a counted user publishes or gets a role, `connectionCreated` reports it.
    case usersUnlisted([UserInfo])
    /// The number of users in the session, listed or only counted, has changed.
    case userCountChanged(Int)
    /// The connection of a user's client was lost and may come back (true), or is back (false).
    case userDropped(ConnectionID, Bool)
    case hostChanged(ConnectionID?)

    // MARK: streams, including the local user's (STR-2)
    case streamCreated(StreamInfo)
    case streamChanged(StreamInfo)
    case streamDestroyed(StreamInfo, StreamEndReason)
    /// The relay records a stream from now on; also sent after the join for streams already being recorded.
    case recordingStarted(StreamID)
    case recordingStopped(StreamID)
    /// A stream, or the session's programme (nil), reaches another server from now on, or again (LIV-1); also sent after the join for live
    /// streams that are running.
    case liveStarted(PushID, StreamID?)
    /// A try to reach the other server failed. Only the host receives it.
    case liveFailed(PushFailed)
    case liveStopped(PushStopped)
    /// Frames of a subscribed stream cannot be decrypted (E2E-1). Sent once until a frame is decrypted again, or the reason changes.
    case encryptionFailed(StreamID, EncryptionFailure)

    /// Participants have agreed on keys; `Session.safetyNumber` has this value (E2E-3).
    case safetyNumberChanged(String)
    /// Participants do not agree on keys (E2E-3). Sent once for each reason until the next join or leave. Without keys for the present
    /// participants nothing is sent after 10 s.
    case keyAgreementFailed(KeyAgreementFailure)

    // MARK: signals and moderation
    /// A signal; `from` is nil if the application's server sent it.
    case signal(from: ConnectionID?, type: String, data: String)
    case muteForced(isActive: Bool)
    /// A moderator has muted a stream of the local user: its audio, its video, or both if the kind is nil.
    case streamMuteForced(StreamID, TrackKind?)
    case unmuteRequested(from: ConnectionID, kind: TrackKind)
    /// A moderator has unmuted the local user's streams, as the relay's `mute.unmuteOthers` allows; they are sent again.
    case unmuted(by: ConnectionID, kind: TrackKind)
    case shareLockChanged(isLocked: Bool)
    case activeSpeakerChanged(StreamID?)

    // MARK: subsessions and chat
    case subsessions(SubsessionEvent)
    case chat(ChatEvent)
}
