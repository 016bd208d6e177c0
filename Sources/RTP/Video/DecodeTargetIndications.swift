/// Relation of a frame to each decode target, which is a set of frames that a receiver can choose (RTP Payload Format for AV1 version 1.0,
/// section A.5). Two bits for each of up to 32 targets, so that a descriptor allocates nothing.
package struct DecodeTargetIndications: Hashable, Sendable {
    package enum Indication: UInt8, Sendable {
        /// The frame does not belong to the target.
        case notPresent = 0
        /// No other frame of the target refers to the frame.
        case discardable = 1
        /// A receiver can switch to the target at the frame.
        case switching = 2
        case required = 3
    }

    private var bits: UInt64 = 0

    package init() {}

    init(_ reader: inout BitReader, count: Int) throws(RTPError) {
        for target in 0..<count { bits |= UInt64(try reader.bits(2)) << UInt64(2 * target) }
    }

    /// - Precondition: `target` is 0...31.
    package subscript(target: Int) -> Indication {
        precondition((0..<32).contains(target))
        return Indication(rawValue: UInt8(truncatingIfNeeded: bits >> UInt64(2 * target) & 3)) ?? .notPresent
    }
}
