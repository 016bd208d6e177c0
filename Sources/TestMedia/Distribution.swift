/// Distribution in bounded memory: 32 classes per power of two (values are off by at most 1.6 %); minimum, maximum and mean are
/// exact. Values are integers in a unit that the caller chooses, e.g. microseconds.
package struct Distribution: Sendable {
    package private(set) var count = 0
    package private(set) var minimum: Int64 = 0
    package private(set) var maximum: Int64 = 0
    private var sum: Double = 0
    private var classes = [UInt32](repeating: 0, count: 64)

    package init() {}

    package var mean: Double { count == 0 ? 0 : sum / Double(count) }

    /// Records a value; negative values count as 0.
    package mutating func record(_ value: Int64) {
        let value = max(0, value)
        minimum = count == 0 ? value : min(minimum, value)
        maximum = max(maximum, value)
        sum += Double(value)
        count += 1
        let index = Self.index(of: value)
        if index >= classes.count { classes.append(contentsOf: repeatElement(0, count: index + 1 - classes.count)) }
        classes[index] += 1
    }

    package mutating func merge(_ other: Distribution) {
        guard other.count > 0 else { return }
        minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
        sum += other.sum
        count += other.count
        if other.classes.count > classes.count {
            classes.append(contentsOf: repeatElement(0, count: other.classes.count - classes.count))
        }
        for i in other.classes.indices { classes[i] += other.classes[i] }
    }

    /// Returns the value, by nearest rank, that at least `share` (0...1) of all values do not exceed; 0 if there are none.
    package func percentile(_ share: Double) -> Int64 {
        guard count > 0 else { return 0 }
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        if rank >= count { return maximum }
        var seen = 0
        for (index, n) in classes.enumerated() where n > 0 {
            seen += Int(n)
            if seen >= rank { return min(max(Self.middle(of: index), minimum), maximum) }
        }
        return maximum
    }

    /// Returns the class of a value. Values below 64 have a class each; above, the five bits after the leading one select the class.
    private static func index(of value: Int64) -> Int {
        guard value >= 64 else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        return 64 + (exponent - 6) * 32 + Int(value >> Int64(exponent - 5)) - 32
    }

    private static func middle(of index: Int) -> Int64 {
        guard index >= 64 else { return Int64(index) }
        let shift = Int64((index - 64) / 32 + 1)
        let low = Int64((index - 64) % 32 + 32) << shift
        return low + (1 << shift) / 2
    }
}
