/// Bits per second.
public struct Bitrate: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public var rawValue: Int64
    @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }
    @inlinable public init(bitsPerSecond: Int64) { rawValue = bitsPerSecond }
    /// Saturates; converts NaN to 0.
    package init(saturating bitsPerSecond: Double) { rawValue = Int64(saturating: bitsPerSecond) }
    /// Saturates.
    @inlinable public static func kilobits(_ n: Int64) -> Bitrate {
        let (bits, overflow) = n.multipliedReportingOverflow(by: 1_000)
        return Bitrate(rawValue: overflow ? (n < 0 ? .min : .max) : bits)
    }
    @inlinable public static func < (a: Bitrate, b: Bitrate) -> Bool { a.rawValue < b.rawValue }
    public var description: String { "\(Double(rawValue) / 1000) kb/s" }
}
