/// RTP sequence number (RFC 3550 section 5.1): 16 bits, wraps. Order is by serial-number arithmetic (RFC 1982).
public struct SequenceNumber: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// Packets from `other` to `self`, in -32768...32767.
    @inlinable public func distance(from other: SequenceNumber) -> Int {
        Int(Int16(bitPattern: rawValue &- other.rawValue))
    }
    @inlinable public func advanced(by packets: Int) -> SequenceNumber {
        SequenceNumber(UInt16(truncatingIfNeeded: Int(rawValue) &+ packets))
    }
    public var description: String { String(rawValue) }
}
