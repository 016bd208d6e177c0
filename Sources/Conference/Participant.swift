import MediaBase
import Signaling

/// One participant's state in the rules.
struct Participant: Sendable {
    var info: UserInfo
    var capabilities: Capabilities
    var token: TokenFingerprint?
    /// The participant was admitted by a static token or the admin token.
    var isTrusted = false
    /// Audio and video options of its join request.
    var media = JoinMedia()
    /// Position in the order of joining, from 1.
    var ordinal: UInt64
    /// Clients know the participant by name, or a pending event will announce it; otherwise it is only counted.
    var isListed = false
    /// Streams in order of creation, including those not announced yet.
    var streams: [StreamID] = []
    var subscriptions: [StreamID: Subscription] = [:]
    var rates = ParticipantRates()
    /// Streams before the loss of the session's home relay, which its peer connection may continue until it resumes.
    var formerStreams: [Seat.Stream] = []
    /// Mutes of its streams before the loss of the session's home relay, for streams that it has not published again.
    var inheritedMutes: Set<Seat.Mute> = []
    /// End of the grace time; nil while connected.
    var graceEnds: MediaTime?

    var isClient: Bool { info.kind == .client }
    /// Returns whether a track was muted before the loss of the session's home relay.
    func inherits(_ kind: TrackKind, _ videoType: VideoType) -> Bool {
        inheritedMutes.contains(Seat.Mute(videoType: videoType, kind: kind))
    }

    /// Whether the participant may manage subsessions (SUB-2).
    var isSubsessionManager: Bool { isClient && info.role != .participant }
}
