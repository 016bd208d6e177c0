import MediaBase
import Signaling

/// One user of a session, as the rules see it.
struct Participant: Sendable {
    var info: UserInfo
    var capabilities: Capabilities
    var token: TokenFingerprint?
    /// It was let in by a static token or the admin token.
    var isTrusted = false
    /// Audio and video options of its join request.
    var media = JoinMedia()
    /// Place in the order of joining, from 1 on.
    var ordinal: UInt64
    /// Clients know it by name, or will be told of it next; else it is only counted.
    var isListed = false
    /// Its streams in the order of their making, those not announced yet included.
    var streams: [StreamID] = []
    var subscriptions: [StreamID: Subscription] = [:]
    var rates = ParticipantRates()
    /// When its grace time ends; nil while it is connected.
    var graceEnds: MediaTime?

    var isClient: Bool { info.kind == .client }
    /// SUB-2.
    var isSubsessionManager: Bool { isClient && info.role != .participant }
}
