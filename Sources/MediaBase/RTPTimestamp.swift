/// RTP timestamp (RFC 3550 section 5.1): 32 bits in the payload's clock rate, wraps.
public struct RTPTimestamp: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt32
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
    @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Clock ticks from `other` to `self`, in -2^31 ..< 2^31.
    @inlinable public func distance(from other: RTPTimestamp) -> Int {
        Int(Int32(bitPattern: rawValue &- other.rawValue))
    }
    @inlinable public func advanced(by ticks: Int) -> RTPTimestamp {
        RTPTimestamp(UInt32(truncatingIfNeeded: Int(rawValue) &+ ticks))
    }
    public var description: String { String(rawValue) }
}
