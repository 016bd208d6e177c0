/// Type-erased random generator: the system's, or a seeded one in tests.
struct AnyRandom: RandomNumberGenerator {
    var base: any RandomNumberGenerator

    mutating func next() -> UInt64 { base.next() }
}
