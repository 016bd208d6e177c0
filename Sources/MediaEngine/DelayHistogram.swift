package import MediaBase

/// Histogram of times, such as that from arrival to send of packets. Bucket widths grow by an eighth; the buckets cover 1 µs to more than a
/// minute.
package struct DelayHistogram: Sendable {
    package static let bucketCount = 216
    package private(set) var counts: [UInt64] = Array(repeating: 0, count: Self.bucketCount)
    package private(set) var total: UInt64 = 0
    package private(set) var sum: MediaTime = .zero
    package private(set) var maximum: MediaTime = .zero

    package init() {}

    @inline(__always)
    private static func bucket(_ microseconds: UInt64) -> Int {
        if microseconds < 8 { return Int(microseconds) }
        let exponent = 63 - microseconds.leadingZeroBitCount
        let fraction = Int(microseconds >> UInt64(exponent - 3)) & 7
        return min(8 + (exponent - 3) * 8 + fraction, bucketCount - 1)
    }

    /// Smallest delay above the bucket, in microseconds.
    private static func upperBound(_ bucket: Int) -> Int64 {
        if bucket < 8 { return Int64(bucket) + 1 }
        let exponent = (bucket - 8) / 8 + 3
        return (Int64(8 + (bucket - 8) % 8) + 1) << Int64(exponent - 3)
    }

    @inline(__always)
    package mutating func record(_ delay: MediaTime, packets: Int) {
        let nanoseconds = max(0, delay.rawValue)
        counts[Self.bucket(UInt64(nanoseconds) / 1000)] &+= UInt64(packets)
        total &+= UInt64(packets)
        sum += MediaTime(rawValue: nanoseconds &* Int64(packets))
        if nanoseconds > maximum.rawValue { maximum = MediaTime(rawValue: nanoseconds) }
    }

    /// Returns the delay that a fraction `quantile` (0...1) of the packets did not exceed, to within an eighth; zero without packets.
    package func quantile(_ quantile: Double) -> MediaTime {
        let wanted = UInt64((Double(total) * quantile).rounded(.up))
        var seen: UInt64 = 0
        for (bucket, count) in counts.enumerated() {
            seen += count
            if seen >= wanted, count > 0 { return min(.microseconds(Self.upperBound(bucket)), maximum) }
        }
        return .zero
    }

    /// Returns the number of packets whose delay was less than 2^`exponent` µs, which is the bound of a bucket.
    /// - Parameter exponent: 3 to 28.
    package func count(below exponent: Int) -> UInt64 {
        counts[..<(8 + (exponent - 3) * 8)].reduce(0, &+)
    }

    package mutating func merge(_ other: DelayHistogram) {
        for i in 0..<Self.bucketCount { counts[i] &+= other.counts[i] }
        total &+= other.total
        sum += other.sum
        maximum = max(maximum, other.maximum)
    }
}
