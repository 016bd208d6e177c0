package import MediaBase
package import Signaling

/// How many messages one connection may send, or how much else a user may do: a bucket that fills evenly.
package struct MessageRate: Hashable, Sendable {
    package static let defaultLimit = 100
    package static let key = "limit.messagesPerSecond"

    private let perSecond: Int64
    private let unit: String
    private let key: String
    /// What is in the bucket; 1e9 are one message.
    private var level: Int64
    private var updated: MediaTime

    /// - Parameters:
    ///   - perSecond: also how many may come at once; at least 1.
    ///   - unit: what is counted, for people.
    ///   - key: of the configuration.
    package init(
        perSecond: Int = defaultLimit, of unit: String = "messages", key: String = MessageRate.key, now: MediaTime
    ) {
        self.unit = unit
        self.key = key
        self.perSecond = Int64(min(max(perSecond, 1), 1_000_000))
        level = self.perSecond * 1_000_000_000
        updated = now
    }

    /// Counts a message.
    /// - Throws: `rateLimited`; the message is not to be heeded.
    package mutating func admit(now: MediaTime) throws(SignalingError) {
        let second: Int64 = 1_000_000_000
        // After a second the bucket is full whatever was in it.
        let elapsed = min(max(now.rawValue - updated.rawValue, 0), second)
        level = min(level + elapsed * perSecond, perSecond * second)
        updated = max(now, updated)
        guard level >= second else {
            throw SignalingError(
                .rateLimited, "more than \(perSecond) \(unit) a second", limit: key, retryAfter: 1)
        }
        level -= second
    }
}
