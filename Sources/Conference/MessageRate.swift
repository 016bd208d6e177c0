package import MediaBase
package import Signaling

/// Token bucket that limits a connection's messages or a participant's other actions per second.
package struct MessageRate: Hashable, Sendable {
    package static let defaultLimit = 100
    package static let key = "limit.messagesPerSecond"

    private let perSecond: Int64
    private let unit: String
    private let key: String
    /// Tokens in the bucket, in units of 1e-9 messages.
    private var level: Int64
    private var updated: MediaTime

    /// - Parameters:
    ///   - perSecond: rate and burst size; at least 1.
    ///   - unit: name of the counted actions, for error messages.
    ///   - key: configuration key of the limit.
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
    /// - Throws: `rateLimited`; the caller ignores the message.
    package mutating func admit(now: MediaTime) throws(SignalingError) {
        let second: Int64 = 1_000_000_000
        // One second fills the bucket whatever its level was.
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
