/// An event that the relay sends to a connection.
public enum Event: Hashable, Sendable {
    case userJoined(UserJoined)
    case userChanged(UserChanged)
    case userLeft(UserLeft)
    /// Several users joined or left, or the number of unlisted users changed.
    case usersChanged(UsersChanged)
    /// A user's connection was lost and may return, or has returned.
    case userDropped(UserDropped)
    case hostChanged(HostChanged)
    case streamCreated(StreamCreated)
    case streamChanged(StreamChanged)
    case streamDestroyed(StreamDestroyed)
    case recordingStarted(RecordingStarted)
    case recordingStopped(RecordingStopped)
    case liveStarted(PushStarted)
    case liveFailed(PushFailed)
    case liveStopped(PushStopped)
    /// The relay's offer for the subscribe peer connection.
    case offer(OfferMade)
    case subscriptionChanged(SubscriptionChanged)
    case signal(SignalReceived)
    case muteForced(MuteForced)
    case unmuteRequested(UnmuteRequested)
    case shareLockChanged(ShareLockChanged)
    case activeSpeaker(ActiveSpeaker)
    case subsessionsChanged(SubsessionsChanged)
    case subsessionRoleChanged(SubsessionRoleChanged)
    case subsessionUsersChanged(SubsessionUsersChanged)
    case broadcast(BroadcastReceived)
    case helpRequested(HelpRequested)
    case helpEnded(HelpEnded)
    case helpResult(HelpResulted)
    case chat(ChatReceived)
    case chatAllowedChanged(ChatAllowedChanged)
    /// An event about the user's conversations, independent of sessions.
    case messaging(MessagingEvent)
    /// The relay will shut down and asks the client to reconnect to another address or later.
    case draining(Draining)
    /// The last event of a connection.
    case disconnected(Disconnected)
    /// The session's media was reset at the relay: clients publish and subscribe again.
    case mediaReset(MediaReset)
}
