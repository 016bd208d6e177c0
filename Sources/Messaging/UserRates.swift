package import MediaBase
package import Signaling

/// How many messages and other requests each user may send: two buckets a user that fill evenly, whichever sockets it uses.
package struct UserRates: Sendable {
    private struct Bucket {
        /// 1e9 are one message, or one request.
        var messages: Int64
        var requests: Int64
        var updated: MediaTime
    }

    private static let second: Int64 = 1_000_000_000

    private let messagesPerSecond: Int64
    private let requestsPerSecond: Int64
    private var buckets: [UserKey: Bucket] = [:]
    private var swept: MediaTime

    package init(_ limits: MessagingLimits, now: MediaTime) {
        messagesPerSecond = Int64(min(max(limits.userMessagesPerSecond, 1), 1_000_000))
        requestsPerSecond = Int64(min(max(limits.userRequestsPerSecond, 1), 1_000_000))
        swept = now
    }

    /// Users that are remembered: those of the last two seconds.
    package var count: Int { buckets.count }

    /// Counts a request.
    /// - Throws: `rateLimited`; it is not to be heeded.
    package mutating func admit(_ user: UserKey, isMessage: Bool, now: MediaTime) throws(SignalingError) {
        sweep(now)
        let full = (messagesPerSecond * Self.second, requestsPerSecond * Self.second)
        var bucket = buckets[user] ?? Bucket(messages: full.0, requests: full.1, updated: now)
        let elapsed = min(max(now.rawValue - bucket.updated.rawValue, 0), Self.second)
        bucket.messages = min(bucket.messages + elapsed * messagesPerSecond, full.0)
        bucket.requests = min(bucket.requests + elapsed * requestsPerSecond, full.1)
        bucket.updated = max(now, bucket.updated)
        defer { buckets[user] = bucket }
        guard bucket.requests >= Self.second else {
            throw SignalingError(
                .rateLimited, "more than \(requestsPerSecond) requests of one user a second",
                limit: MessagingLimits.userRequestsKey, retryAfter: 1)
        }
        guard !isMessage || bucket.messages >= Self.second else {
            throw SignalingError(
                .rateLimited, "more than \(messagesPerSecond) messages of one user a second",
                limit: MessagingLimits.userMessagesKey, retryAfter: 1)
        }
        bucket.requests -= Self.second
        if isMessage { bucket.messages -= Self.second }
    }

    /// After a second without requests a bucket is full: it says nothing.
    private mutating func sweep(_ now: MediaTime) {
        guard now.rawValue - swept.rawValue >= Self.second else { return }
        swept = now
        buckets = buckets.filter { now.rawValue - $0.value.updated.rawValue < Self.second }
    }
}
