import MediaBase
import Signaling

/// Rate limits of one participant's actions, in addition to the limit of its messages.
struct ParticipantRates: Sendable {
    enum Kind: Hashable, Sendable {
        case chat
        case broadcast
        case move
        /// The whole list of subsessions with all their participants.
        case list
    }

    private var buckets: [Kind: MessageRate] = [:]

    /// - Throws: `rateLimited`.
    mutating func admit(_ kind: Kind, _ limits: ConferenceLimits, now: MediaTime) throws(SignalingError) {
        var bucket =
            buckets[kind]
            ?? MessageRate(
                perSecond: limits.rate(of: kind), of: kind.unit, key: kind.key, now: now)
        defer { buckets[kind] = bucket }
        try bucket.admit(now: now)
    }
}

extension ParticipantRates.Kind {
    var key: String {
        switch self {
        case .chat: ConferenceLimits.chatKey
        case .broadcast: ConferenceLimits.broadcastsKey
        case .move, .list: ConferenceLimits.movesKey
        }
    }

    var unit: String {
        switch self {
        case .chat: "chat messages"
        case .broadcast: "broadcasts"
        case .move: "moves"
        case .list: "lists of subsessions"
        }
    }
}

extension ConferenceLimits {
    func rate(of kind: ParticipantRates.Kind) -> Int {
        switch kind {
        case .chat: chatPerSecond
        case .broadcast: broadcastsPerSecond
        case .move, .list: movesPerSecond
        }
    }
}
