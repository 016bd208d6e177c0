/// Random source of a worker's names, numbers and keys: the system's, or a seeded generator for repeatable runs.
struct WorkerRandom: RandomNumberGenerator {
    private var system = SystemRandomNumberGenerator()
    private var state: UInt64?

    init(seed: UInt64? = nil) { state = seed }

    mutating func next() -> UInt64 {
        guard let state else { return system.next() }
        // SplitMix64.
        let next = state &+ 0x9e37_79b9_7f4a_7c15
        self.state = next
        var z = next
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
