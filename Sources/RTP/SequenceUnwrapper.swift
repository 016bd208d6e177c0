package import MediaBase

/// Extension of 16-bit sequence numbers to 64 bits. The highest number seen is the reference, so packets may arrive up to 32,767 late or
/// early. A number before the first one extends to a lower value and may be negative.
///
/// A sender whose numbers advance by 32,767 per packet needs 2^48 packets to overflow, 8.9 years at 1,000,000 packets a second.
/// SRTP ends its stream after 2^48 numbers (RFC 3711 section 3.3.1), which are 2^33 packets.
package struct SequenceUnwrapper: Hashable, Sendable {
    private var reference: Int64 = 0
    private var started = false

    package init() {}

    /// Creates an unwrapper that extends the first number to the value closest to `reference`.
    package init(reference: Int64) {
        self.reference = reference
        started = true
    }

    /// Highest number so far; nil before the first.
    package var highest: Int64? { started ? reference : nil }

    package mutating func unwrap(_ number: SequenceNumber) -> Int64 {
        let extended = peek(number)
        if !started || extended > reference {
            reference = extended
            started = true
        }
        return extended
    }

    /// Extends `number` without changing the state.
    package func peek(_ number: SequenceNumber) -> Int64 {
        guard started else { return Int64(number.rawValue) }
        let step = Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: reference))
        return reference &+ Int64(step)
    }
}
