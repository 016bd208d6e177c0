package import Signaling

/// Event of a session, for webhooks and logs.
package enum HookEvent: Hashable, Sendable {
    case sessionStarted
    case sessionEnded(DisconnectReason)
    case participantJoined(UserInfo)
    case participantLeft(UserInfo, DisconnectReason)
    case streamPublished(StreamInfo)
    case streamUnpublished(StreamInfo, StreamEndReason)
    /// Without a stream: the programme.
    case liveStarted(PushID, StreamID?)
    case liveFailed(PushFailed)
    case liveStopped(PushStopped)
}
