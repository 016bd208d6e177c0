internal import MediaBase
internal import Signaling

/// One user of a session, as the rules see it.
struct Participant: Sendable {
    var info: UserInfo
    var capabilities: Capabilities
    var token: TokenFingerprint?
    /// It was let in by a static token or the admin token.
    var isTrusted = false
    /// What it begins with and is sent at most.
    var media = JoinMedia()
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
