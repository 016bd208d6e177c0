import MediaBase

/// Distributes the path's capacity among the encodings of a publisher. Audio comes first, then the smallest simulcast encoding. A
/// larger encoding is sent only if it gets at least `leastShare` of its maximum bit rate.
struct BitrateShare: Hashable, Sendable {
    /// Maximum bit rate of each encoding, smallest first.
    let most: [Bitrate]
    /// Minimum fraction of its maximum bit rate that an encoding needs to be sent; the smallest encoding is always sent.
    static let leastShare = 0.4
    /// Minimum bit rate of an encoding, whatever the estimate of the path.
    static let floor = Bitrate.kilobits(30)
    /// RTP, UDP and IP headers and some retransmissions, as a fraction of the bits sent.
    static let overhead = 0.1

    /// - Parameters:
    ///   - bitrate: total of all encodings.
    ///   - count: number of encodings, each with four times the pixels of the previous one.
    init(bitrate: Bitrate, count: Int) {
        // A quarter of the pixels needs about a third of the bit rate.
        let weights = (0..<max(1, count)).map { index in (0..<index).reduce(1.0) { weight, _ in weight * 3 } }
        let sum = weights.reduce(0, +)
        most = weights.map {
            Bitrate(bitsPerSecond: max(Self.floor.rawValue, Int64(Double(bitrate.rawValue) * $0 / sum)))
        }
    }

    /// Returns the bit rate of each encoding; nil for an encoding that is not sent.
    /// - Parameters:
    ///   - available: capacity of the path, including headers; nil if unknown, in which case all encodings are sent.
    ///   - audio: bit rate of the audio.
    func rates(available: Bitrate?, audio: Bitrate) -> [Bitrate?] {
        guard let available else { return most }
        var left = Int64(Double(available.rawValue) * (1 - Self.overhead)) - audio.rawValue
        var rates: [Bitrate?] = []
        for (index, wanted) in most.enumerated() {
            let least = index == 0 ? Self.floor.rawValue : Int64(Double(wanted.rawValue) * Self.leastShare)
            guard index == 0 || (left >= least && rates[index - 1] != nil) else {
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
