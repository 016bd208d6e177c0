import Signaling

/// One participant's wish for a stream, and what keeps it or its video away.
struct Subscription: Sendable {
    var preferences: SubscriptionPreferences
    /// Publisher and subscriber are in the same place.
    var isHeard: Bool
    /// They were at one time: the media plane has it.
    var isOrdered: Bool
    /// The path does not carry the video.
    var isVideoPaused = false

    /// Why there is no video although the stream has one; nil while there is.
    func obstacle(_ stream: PublishedStream) -> VideoChangeReason? {
        if stream.isVideoMuted { return .publisher }
        if !preferences.video { return .subscriber }
        return isVideoPaused ? .quality : nil
    }
}
