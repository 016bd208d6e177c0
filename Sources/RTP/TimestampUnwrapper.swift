package import MediaBase

/// Extends 32-bit RTP timestamps to 64 bits. The highest timestamp seen is the reference, so reordered packets of up to half the
/// range (6 h 37 min at 90 kHz) keep their place.
package struct TimestampUnwrapper: Hashable, Sendable {
    private var reference: Int64 = 0
    private var started = false

    package init() {}

    /// The first timestamp is extended next to `reference` instead of to itself.
    package init(reference: Int64) {
        self.reference = reference
        started = true
    }

    /// Highest timestamp so far; nil before the first.
    package var highest: Int64? { started ? reference : nil }

    package mutating func unwrap(_ timestamp: RTPTimestamp) -> Int64 {
        let extended = peek(timestamp)
        if !started || extended > reference {
            reference = extended
            started = true
        }
        return extended
    }

    /// As `unwrap`, remembering nothing.
    package func peek(_ timestamp: RTPTimestamp) -> Int64 {
        guard started else { return Int64(timestamp.rawValue) }
        let step = Int32(bitPattern: timestamp.rawValue &- UInt32(truncatingIfNeeded: reference))
        return reference &+ Int64(step)
    }
}
