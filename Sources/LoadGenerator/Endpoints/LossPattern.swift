import MediaBase

/// Choice of packets to drop on purpose: a pure function of seed, stream and packet number, so that a run can be repeated.
struct LossPattern: Sendable {
    private let seed: UInt64
    private let limit: UInt64

    /// Packets of one stream in their order.
    struct Stream: Sendable {
        let pattern: LossPattern
        let number: UInt64
        private(set) var packets: UInt64 = 0

        /// Returns whether to drop the next packet; if so, counts it in `dropped`.
        mutating func drops(counting dropped: inout UInt64) -> Bool {
            packets += 1
            guard pattern.drops(stream: number, packet: packets) else { return false }
            dropped += 1
            return true
        }
    }

    /// - Parameter share: 0...1.
    init(share: Double, seed: UInt64) {
        self.seed = seed
        limit = UInt64(min(max(share, 0), 1) * Double(1 << 53))
    }

    /// Returns the packets of a stream from the first on.
    /// - Parameter number: the same in every run, unlike an SSRC.
    func stream(_ number: UInt64) -> Stream { Stream(pattern: self, number: number) }

    func drops(stream: UInt64, packet: UInt64) -> Bool {
        guard limit > 0 else { return false }
        var streams = SplitMix64(seed: seed &+ stream &* 0x9e37_79b9_7f4a_7c15)
        var packets = SplitMix64(seed: streams.next() &+ packet)
        return packets.next() >> 11 < limit
    }
}
