package import MediaBase

/// The header of one packet of a publisher, as far as it is kept for reports: 16 bytes.
package struct HeaderNote: Sendable {
    /// Arrival in steps of 0.1 ms, the low 32 bits: enough for five days.
    package var arrival: UInt32
    package var timestamp: UInt32
    package var sequence: UInt16
    /// Of the payload; 65,535 at most.
    package var bytes: UInt16
    package var fate: PacketFate
    package var flags: Flags

    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let marker = Flags(rawValue: 1)
        /// First packet of a key frame.
        package static let keyFrame = Flags(rawValue: 2)
        /// Came again after it had been asked for, or out of order.
        package static let late = Flags(rawValue: 4)
    }

    /// - Returns: how long ago it came.
    package func age(now: MediaTime) -> MediaTime { .microseconds(Int64(Self.stamp(now) &- arrival) * 100) }

    @inline(__always)
    static func stamp(_ time: MediaTime) -> UInt32 { UInt32(truncatingIfNeeded: time.rawValue / 100_000) }
}
