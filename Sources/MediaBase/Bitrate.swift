/// Bits per second.
public struct Bitrate: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public var rawValue: Int64
    @inlinable public init(rawValue: Int64) { self.rawValue = rawValue }
    @inlinable public init(bitsPerSecond: Int64) { rawValue = bitsPerSecond }
    @inlinable public static func kilobits(_ n: Int64) -> Bitrate { Bitrate(rawValue: n * 1_000) }
    @inlinable public static func < (a: Bitrate, b: Bitrate) -> Bool { a.rawValue < b.rawValue }
    public var description: String { "\(Double(rawValue) / 1000) kb/s" }
}
