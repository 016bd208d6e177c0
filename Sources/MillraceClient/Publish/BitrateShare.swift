import MediaBase

/// How what the path carries is shared among the encodings that are sent. Sound comes first; of simulcast encodings the smallest, and a
/// larger one only where it gets enough to be worth it.
struct BitrateShare: Hashable, Sendable {
    /// Of each encoding at most, smallest first.
    let most: [Bitrate]
    /// Share of its `most` that an encoding must get to be sent at all; the smallest always is.
    static let leastShare = 0.4
    /// Of one encoding, whatever the path says.
    static let floor = Bitrate.kilobits(30)
    /// RTP, UDP and IP headers with some retransmissions, as a share of what is sent.
    static let overhead = 0.1

    /// - Parameters:
    ///   - bitrate: of all encodings together.
    ///   - count: of encodings, each with four times the pixels of the one before.
    init(bitrate: Bitrate, count: Int) {
        // A quarter of the pixels takes about a third of the bits.
        let weights = (0..<max(1, count)).map { place in (0..<place).reduce(1.0) { weight, _ in weight * 3 } }
        let sum = weights.reduce(0, +)
        most = weights.map {
            Bitrate(bitsPerSecond: max(Self.floor.rawValue, Int64(Double(bitrate.rawValue) * $0 / sum)))
        }
    }

    /// - Parameters:
    ///   - available: what the path carries, headers included; nil: unknown, everything is sent.
    ///   - audio: what sound takes of it.
    /// - Returns: of each encoding; nil for one that is not to be sent.
    func rates(available: Bitrate?, audio: Bitrate) -> [Bitrate?] {
        guard let available else { return most }
        var left = Int64(Double(available.rawValue) * (1 - Self.overhead)) - audio.rawValue
        var rates: [Bitrate?] = []
        for (place, wanted) in most.enumerated() {
            let least = place == 0 ? Self.floor.rawValue : Int64(Double(wanted.rawValue) * Self.leastShare)
            guard place == 0 || (left >= least && rates[place - 1] != nil) else {
                rates.append(nil)
                continue
            }
            let rate = max(least, min(wanted.rawValue, left))
            rates.append(Bitrate(bitsPerSecond: rate))
            left -= rate
        }
        return rates
    }
}
