import MediaBase

/// Random source of a worker's names, numbers and keys: the system's, or a seeded generator for repeatable runs.
struct WorkerRandom: RandomNumberGenerator {
    private var system = SystemRandomNumberGenerator()
    private var seeded: SplitMix64?

    init(seed: UInt64? = nil) { seeded = seed.map { SplitMix64(seed: $0) } }

    mutating func next() -> UInt64 { seeded?.next() ?? system.next() }
}
