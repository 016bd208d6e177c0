package import MediaBase
package import Signaling

/// Token buckets for messages, requests and touched entries of each user, over all its connections.
package struct UserRates: Sendable {
    private struct Bucket {
        /// Tokens, in units of 1e-9 messages, requests or entries.
        var messages: Int64
        var requests: Int64
        /// Negative if a command touched more entries than its expected cost.
        var entries: Int64
        var updated: MediaTime
    }

    private static let second: Int64 = 1_000_000_000
    /// Seconds in which the bucket of entries fills. With the default rate of 500, a group of 500 can be created at
    /// once.
    private static let burst: Int64 = 10
    /// Upper bound of elapsed time, against overflow.
    private static let longest: Int64 = 3_600 * second
    private static let largestCost: Int64 = 1_000_000

    private let messagesPerSecond: Int64
    private let requestsPerSecond: Int64
    private let entriesPerSecond: Int64
    private var buckets: [UserKey: Bucket] = [:]
    private var swept: MediaTime

    package init(_ limits: MessagingLimits, now: MediaTime) {
        messagesPerSecond = Int64(min(max(limits.userMessagesPerSecond, 1), 1_000_000))
        requestsPerSecond = Int64(min(max(limits.userRequestsPerSecond, 1), 1_000_000))
        entriesPerSecond = Int64(min(max(limits.userEntriesPerSecond, 1), 1_000_000))
        swept = now
    }

    /// Number of remembered users: those with requests in about the last two seconds, and those whose bucket of entries
    /// is not full.
    package var count: Int { buckets.count }

    private var allEntries: Int64 { entriesPerSecond * Self.burst * Self.second }

    /// Counts a request.
    ///
    /// - Parameter cost: entries that the request touches; 0 if it only reads.
    /// - Throws: `rateLimited`; the caller ignores the request.
    package mutating func admit(
        _ user: UserKey, isMessage: Bool, cost: Int = 1, now: MediaTime
    ) throws(SignalingError) {
        sweep(now)
        var bucket = filled(user, now)
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
        // A cost above the capacity needs a full bucket, whose level becomes negative.
        let price = Self.price(cost)
        let missing = min(price, allEntries) - bucket.entries
        guard price == 0 || missing <= 0 else {
            let rate = entriesPerSecond * Self.second
            throw SignalingError(
                .rateLimited, "more than \(entriesPerSecond) entries of users touched by one user a second",
                limit: MessagingLimits.userEntriesKey, retryAfter: Int((missing + rate - 1) / rate))
        }
        bucket.requests -= Self.second
        if isMessage { bucket.messages -= Self.second }
        bucket.entries -= price
    }

    /// Counts entries beyond the expected cost. The user's next command has to wait for them.
    package mutating func charge(_ user: UserKey, cost: Int, now: MediaTime) {
        var bucket = filled(user, now)
        bucket.entries -= Self.price(cost)
        buckets[user] = bucket
    }

    private static func price(_ cost: Int) -> Int64 { min(Int64(max(cost, 0)), largestCost) * second }

    private func filled(_ user: UserKey, _ now: MediaTime) -> Bucket {
        let messages = messagesPerSecond * Self.second
        let requests = requestsPerSecond * Self.second
        guard var bucket = buckets[user] else {
            return Bucket(messages: messages, requests: requests, entries: allEntries, updated: now)
        }
        let elapsed = min(max(now.rawValue - bucket.updated.rawValue, 0), Self.longest)
        let within = min(elapsed, Self.second)
        bucket.messages = min(bucket.messages + within * messagesPerSecond, messages)
        bucket.requests = min(bucket.requests + within * requestsPerSecond, requests)
        bucket.entries = min(bucket.entries + elapsed * entriesPerSecond, allEntries)
        bucket.updated = max(now, bucket.updated)
        return bucket
    }

    /// Removes full buckets, once a second: those of users without a request in the last second and with all entries
    /// refilled.
    private mutating func sweep(_ now: MediaTime) {
        guard now.rawValue - swept.rawValue >= Self.second else { return }
        swept = now
        buckets = buckets.filter { _, bucket in
            let elapsed = min(max(now.rawValue - bucket.updated.rawValue, 0), Self.longest)
            return elapsed < Self.second || bucket.entries + elapsed * entriesPerSecond < allEntries
        }
    }
}
