/// A small deterministic random number generator (SplitMix64): the same seed gives the same run on every machine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Returns a number in 0..<bound without the rejection loop of `Int.random(in:)`, which costs a fuzz loop more than the parser does.
    package mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: bound) &* (next() >> 32)) >> 32)
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
