package import MediaBase

/// Header fields of one packet of a publisher, for reports: 16 bytes.
package struct HeaderNote: Sendable, Equatable {
    /// Low 32 bits of the arrival time in units of 0.1 ms, which last for five days.
    package var arrival: UInt32
    package var timestamp: UInt32
    package var sequence: UInt16
    /// Payload length, at most 65,535.
    package var bytes: UInt16
    package var fate: PacketFate
    package var flags: Flags

    package struct Flags: OptionSet, Sendable, Codable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let marker = Flags(rawValue: 1)
        /// First packet of a key frame.
        package static let keyFrame = Flags(rawValue: 2)
        /// The packet was retransmitted or out of order.
        package static let late = Flags(rawValue: 4)
    }

    /// Returns the time since the packet's arrival.
    package func age(now: MediaTime) -> MediaTime { .microseconds(Int64(Self.stamp(now) &- arrival) * 100) }

    @inline(__always)
    static func stamp(_ time: MediaTime) -> UInt32 { UInt32(truncatingIfNeeded: time.rawValue / 100_000) }
}

// JSON has an array of the fields, because a report has thousands of headers.
extension HeaderNote: Codable {
    package init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        arrival = try fields.decode(UInt32.self)
        timestamp = try fields.decode(UInt32.self)
        sequence = try fields.decode(UInt16.self)
        bytes = try fields.decode(UInt16.self)
        fate = try fields.decode(PacketFate.self)
        flags = try fields.decode(Flags.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.unkeyedContainer()
        try fields.encode(arrival)
        try fields.encode(timestamp)
        try fields.encode(sequence)
        try fields.encode(bytes)
        try fields.encode(fate)
        try fields.encode(flags)
    }
}
