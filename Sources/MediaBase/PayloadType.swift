/// RTP payload type (RFC 3550 section 5.1): 0 to 127; 96 to 127 are assigned by negotiation.
public struct PayloadType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7f }
    @inlinable public init(_ rawValue: UInt8) { self.rawValue = rawValue & 0x7f }
    public var description: String { String(rawValue) }
}

extension PayloadType: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try container.decode(UInt8.self)
        guard number < 128 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "payload types are 0 to 127")
        }
        self.init(number)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
