/// Measurement of one probe: the rate at which it was sent and the rate at which it arrived.
struct ProbeMeasurement {
    /// Fraction of the probe's bytes that must arrive for a result; `enoughPackets` is that of its packets.
    private static let enough = 0.8
    private static let enoughPackets = 0.7
    /// A path that delivers less than this fraction of the sending rate is full.
    private static let saturation = 0.9
    /// Fraction used of the rate that a full path delivered.
    private static let prudence = 0.95
    /// Maximum duration in microseconds; a probe that took longer was not a burst.
    private static let longest: Int64 = 2_000_000

    struct Result {
        /// Rate in bits per second that the path can carry.
        let bitsPerSecond: Double
        /// True if the path was full.
        let isSaturated: Bool
    }

    let probe: Probe
    private var bytes = 0
    private var packets = 0
    private var firstSent: Int64 = .max
    private var lastSent: Int64 = .min
    private var firstArrival: Int64 = .max
    private var lastArrival: Int64 = .min
    private var bytesFirstArrived = 0
    private var bytesLastSent = 0

    init(_ probe: Probe) { self.probe = probe }

    mutating func add(_ packet: Acknowledgement) {
        bytes += packet.bytes
        packets += 1
        firstSent = min(firstSent, packet.sent)
        if packet.sent >= lastSent {
            lastSent = packet.sent
            bytesLastSent = packet.bytes
        }
        if packet.arrival < firstArrival {
            firstArrival = packet.arrival
            bytesFirstArrived = packet.bytes
        }
        lastArrival = max(lastArrival, packet.arrival)
    }

    /// Result; nil if too little arrived, or if the times are implausible.
    var result: Result? {
        guard Double(packets) >= Double(probe.packets) * Self.enoughPackets,
            Double(bytes) >= Double(probe.bytes) * Self.enough
        else { return nil }
        let sending = lastSent - firstSent
        // Feedback has a resolution of 250 µs.
        let arriving = max(lastArrival - firstArrival, 250)
        guard sending < Self.longest, arriving < Self.longest else { return nil }
        let asked = Double(probe.bitrate.rawValue)
        // If the probe left in one burst, only the spacing of arrivals shows the rate of the path.
        let isBurst = sending < probe.duration.rawValue / 1_000 / 3
        let sent = isBurst ? asked : min(Self.rate(bytes - bytesLastSent, sending), asked * 1.2)
        let came = Self.rate(bytes - bytesFirstArrived, arriving)
        if came < Self.saturation * sent { return Result(bitsPerSecond: came * Self.prudence, isSaturated: true) }
        // A rate far above the sending rate cannot be right: the packets were collected on the path and delivered together.
        guard isBurst || came < sent * 2 else { return nil }
        return Result(bitsPerSecond: min(sent, came, asked), isSaturated: false)
    }

    private static func rate(_ bytes: Int, _ microseconds: Int64) -> Double {
        Double(bytes) * 8 * 1_000_000 / Double(microseconds)
    }
}
