/// Something that the relay tells a connection unasked.
public enum Event: Hashable, Sendable {
    case userJoined(UserJoined)
    case userChanged(UserChanged)
    case userLeft(UserLeft)
    /// Several users joined or left, or the number of users changed that are counted.
    case usersChanged(UsersChanged)
    /// A user's client is lost and may come back, or is back.
    case userDropped(UserDropped)
    case hostChanged(HostChanged)
    case streamCreated(StreamCreated)
    case streamChanged(StreamChanged)
    case streamDestroyed(StreamDestroyed)
    case recordingStarted(RecordingStarted)
    case recordingStopped(RecordingStopped)
    /// The relay's offer of the subscribe peer connection.
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
    /// Of one's conversations; not of a session.
    case messaging(MessagingEvent)
    /// The relay asks the client to move on, and will end.
    case draining(Draining)
    /// The last event of a connection.
    case disconnected(Disconnected)
    /// The session's media began anew at the relay: publish and subscribe again.
    case mediaReset(MediaReset)
}
