/// RTP payload type (RFC 3550 section 5.1): 0 to 127; 96 to 127 are assigned by negotiation.
public struct PayloadType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7f }
    @inlinable public init(_ rawValue: UInt8) { self.rawValue = rawValue & 0x7f }
    public var description: String { String(rawValue) }
}
