import Signaling

/// One participant's subscription, with the reasons that hold back the stream or its video.
struct Subscription: Sendable {
    var preferences: SubscriptionPreferences
    /// Publisher and subscriber are in the same location.
    var isHeard: Bool
    /// The media plane has the subscription, because the two have been in the same location at least once.
    var isOrdered: Bool
    /// The path is too narrow for the video.
    var isVideoPaused = false
    /// The subscriber takes no packets of the stream's video codec.
    var hasUnsupportedCodec = false

    /// Returns the reason that the subscriber gets no video, or nil if none applies.
    func obstacle(_ stream: PublishedStream) -> VideoChangeReason? {
        if hasUnsupportedCodec { return .unsupportedCodec }
        if stream.isVideoMuted { return .publisher }
        if !preferences.video { return .subscriber }
        return isVideoPaused ? .quality : nil
    }
}
