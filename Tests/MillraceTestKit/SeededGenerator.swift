import MediaBase

/// A small deterministic random number generator: the same seed gives the same run on every machine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { numbers.next() }

    /// Returns a number in 0..<bound without the rejection loop of `Int.random(in:)`, which costs a fuzz loop more than the parser does.
    package mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: bound) &* (next() >> 32)) >> 32)
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
