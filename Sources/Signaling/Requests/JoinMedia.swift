/// Audio and video that a participant begins with, as it says when it joins (SES-8).
public struct JoinMedia: Hashable, Sendable, Codable {
    /// The audio of its camera streams starts muted, until `setMuted`.
    public var startsAudioMuted: Bool
    /// The video of its camera streams starts muted, until `setMuted`.
    public var startsVideoMuted: Bool
    /// Audio of others is sent to it, whatever its subscriptions ask for.
    public var receivesAudio: Bool
    /// Video of others is sent to it, whatever its subscriptions ask for.
    public var receivesVideo: Bool
    /// Bounds of every subscription's `maximumWidth` and `maximumHeight`. Nil: none.
    public var maximumWidth: Int?
    public var maximumHeight: Int?

    public init(
        startsAudioMuted: Bool = false, startsVideoMuted: Bool = false, receivesAudio: Bool = true,
        receivesVideo: Bool = true, maximumWidth: Int? = nil, maximumHeight: Int? = nil
    ) {
        self.startsAudioMuted = startsAudioMuted
        self.startsVideoMuted = startsVideoMuted
        self.receivesAudio = receivesAudio
        self.receivesVideo = receivesVideo
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
    }

    /// A client names what differs from the usual.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        startsAudioMuted = try container.decodeIfPresent(Bool.self, forKey: .startsAudioMuted) ?? false
        startsVideoMuted = try container.decodeIfPresent(Bool.self, forKey: .startsVideoMuted) ?? false
        receivesAudio = try container.decodeIfPresent(Bool.self, forKey: .receivesAudio) ?? true
        receivesVideo = try container.decodeIfPresent(Bool.self, forKey: .receivesVideo) ?? true
        maximumWidth = try container.decodeIfPresent(Int.self, forKey: .maximumWidth)
        maximumHeight = try container.decodeIfPresent(Int.self, forKey: .maximumHeight)
    }

    /// Bounds a subscription by these options.
    package func bounding(_ wanted: SubscriptionPreferences) -> SubscriptionPreferences {
        var bounded = wanted
        bounded.audio = wanted.audio && receivesAudio
        bounded.video = wanted.video && receivesVideo
        bounded.maximumWidth = [wanted.maximumWidth, maximumWidth].compactMap(\.self).min()
        bounded.maximumHeight = [wanted.maximumHeight, maximumHeight].compactMap(\.self).min()
        return bounded
    }
}
