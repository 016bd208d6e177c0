extension Int64 {
    /// Converts a number that a peer or a file may have made arbitrarily large: rounds toward zero, saturates, and takes NaN for zero.
    /// `Int64(_:)` traps for such numbers.
    @inlinable package init(saturating value: Double) {
        // 2^63 and -2^63 are exact as Double; the first no longer fits, the second does.
        if value >= 0x1p63 {
            self = .max
        } else if value <= -0x1p63 {
            self = .min
        } else {
            self = value.isNaN ? 0 : Int64(value)
        }
    }
}
