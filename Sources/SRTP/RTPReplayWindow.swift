/// Rollover counter and replay list of one inbound SRTP stream (RFC 3711 sections 3.3.1 and 3.3.2), 1024 packets deep.
struct RTPReplayWindow {
    /// Number of packets by which an accepted packet may be late.
    static let depth: UInt64 = 1024

    /// Ring of one bit per index, twice as long as `depth`, so that whole words are discarded (as in RFC 6479).
    private static let words: UInt64 = 32

    let ssrc: UInt32
    /// Highest authenticated index; before the first packet, the initial rollover counter << 16.
    private(set) var highest: UInt64
    private var isStarted = false
    private let seen: UnsafeMutablePointer<UInt64>

    init(ssrc: UInt32, rolloverCounter: UInt32 = 0) {
        self.ssrc = ssrc
        highest = UInt64(rolloverCounter) << 16
        seen = .allocate(capacity: Int(Self.words))
        seen.initialize(repeating: 0, count: Int(Self.words))
    }

    func deallocate() { seen.deallocate() }

    /// Returns the most likely index for a sequence number: the one nearest to the highest (RFC 3711 appendix A). Returns nil if the index
    /// would need more than 48 bits.
    @inline(__always)
    func estimate(_ sequenceNumber: UInt16) -> UInt64? {
        let sequence = UInt64(sequenceNumber)
        guard isStarted else { return highest | sequence }
        let round = highest >> 16
        let last = highest & 0xffff
        if last < 0x8000 {
            // The rollover counter cannot be less than 0.
            return sequence > last + 0x8000 && round > 0 ? (round - 1) << 16 | sequence : round << 16 | sequence
        }
        guard sequence < last - 0x8000 else { return round << 16 | sequence }
        return round < 0xffff_ffff ? (round + 1) << 16 | sequence : nil
    }

    /// Returns whether a packet with this index was seen before, or is too old to decide.
    @inline(__always)
    func isReplay(_ index: UInt64) -> Bool {
        guard isStarted, index <= highest else { return false }
        return highest - index >= Self.depth || seen[Self.word(index)] >> (index & 63) & 1 == 1
    }

    /// Records an authenticated packet that is not a replay.
    @inline(__always)
    mutating func note(_ index: UInt64) {
        if !isStarted || index > highest {
            // Words between the last one written and the new one hold indices from the previous turn of the ring.
            let cleared = isStarted ? min(index >> 6 - highest >> 6, Self.words) : Self.words
            var word = index >> 6
            for _ in 0..<cleared {
                seen[Int(word & (Self.words - 1))] = 0
                word &-= 1
            }
            highest = index
            isStarted = true
        }
        seen[Self.word(index)] |= 1 << (index & 63)
    }

    @inline(__always)
    private static func word(_ index: UInt64) -> Int { Int(index >> 6 & (words - 1)) }
}
