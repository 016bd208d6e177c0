package import MediaBase

/// Extension of 32-bit RTP timestamps to 64 bits. The highest timestamp seen is the reference, so timestamps up to half the range late
/// (6 h 37 min at 90 kHz) extend correctly.
///
/// A real clock reaches 2^60 after 400,000 years; a sender whose timestamps advance by 2^31 - 1 per packet reaches it after 2^29
/// packets, 15 hours at 10,000 packets a second. At that limit the count restarts from the 32 bits on the wire, so that differences
/// and sums of extended timestamps never overflow.
package struct TimestampUnwrapper: Hashable, Sendable {
    /// Largest magnitude of an extended timestamp.
    package static let limit: Int64 = 1 << 60

    private var reference: Int64 = 0
    private var started = false

    package init() {}

    /// Creates an unwrapper that extends the first timestamp to the value closest to `reference`.
    package init(reference: Int64) {
        self.reference = reference
        started = true
    }

    /// Highest timestamp so far; nil before the first.
    package var highest: Int64? { started ? reference : nil }

    package mutating func unwrap(_ timestamp: RTPTimestamp) -> Int64 {
        let extended = peek(timestamp)
        let hasRestarted = started && reference &- extended > 1 << 32
        if !started || extended > reference || hasRestarted {
            reference = extended
            started = true
        }
        return extended
    }

    /// Extends `timestamp` without changing the state.
    package func peek(_ timestamp: RTPTimestamp) -> Int64 {
        guard started else { return Int64(timestamp.rawValue) }
        let step = Int32(bitPattern: timestamp.rawValue &- UInt32(truncatingIfNeeded: reference))
        let extended = reference &+ Int64(step)
        return extended.magnitude <= UInt64(Self.limit) ? extended : Int64(timestamp.rawValue)
    }
}
