/// Audio and video options of a participant's join request (SES-8).
public struct JoinMedia: Hashable, Sendable, Codable {
    /// The audio of the participant's camera streams starts muted, until `setMuted`.
    public var startsAudioMuted: Bool
    /// The video of the participant's camera streams starts muted, until `setMuted`.
    public var startsVideoMuted: Bool
    /// Whether the participant receives audio. False overrides its subscriptions.
    public var receivesAudio: Bool
    /// Whether the participant receives video. False overrides its subscriptions.
    public var receivesVideo: Bool
    /// Upper bounds for `maximumWidth` and `maximumHeight` of every subscription; nil for no bound.
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

    /// Decodes a request that may omit defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        startsAudioMuted = try container.decodeIfPresent(Bool.self, forKey: .startsAudioMuted) ?? false
        startsVideoMuted = try container.decodeIfPresent(Bool.self, forKey: .startsVideoMuted) ?? false
        receivesAudio = try container.decodeIfPresent(Bool.self, forKey: .receivesAudio) ?? true
        receivesVideo = try container.decodeIfPresent(Bool.self, forKey: .receivesVideo) ?? true
        maximumWidth = try container.decodeIfPresent(Int.self, forKey: .maximumWidth)
        maximumHeight = try container.decodeIfPresent(Int.self, forKey: .maximumHeight)
    }

    /// Applies these options to a subscription's preferences.
    package func bounding(_ wanted: SubscriptionPreferences) -> SubscriptionPreferences {
        var bounded = wanted
        bounded.audio = wanted.audio && receivesAudio
        bounded.video = wanted.video && receivesVideo
        bounded.maximumWidth = [wanted.maximumWidth, maximumWidth].compactMap(\.self).min()
        bounded.maximumHeight = [wanted.maximumHeight, maximumHeight].compactMap(\.self).min()
        return bounded
    }
}
