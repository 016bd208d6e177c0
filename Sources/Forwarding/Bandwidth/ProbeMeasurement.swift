/// Arrivals of one probe: at which rate it was sent, and at which it came.
struct ProbeMeasurement {
    /// Part of the probe that has to arrive before it tells anything.
    private static let enough = 0.8
    private static let enoughPackets = 0.7
    /// A path that delivers less than this part of the sending rate is full.
    private static let saturation = 0.9
    /// Of the rate that a full path delivered, what is used.
    private static let prudence = 0.95
    /// Microseconds; what took longer was no burst.
    private static let longest: Int64 = 2_000_000

    struct Result {
        /// Bits a second that the path can be given.
        let bitsPerSecond: Double
        /// The path showed its limit.
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

    /// nil: too little came, or it makes no sense.
    var result: Result? {
        guard Double(packets) >= Double(probe.packets) * Self.enoughPackets,
            Double(bytes) >= Double(probe.bytes) * Self.enough
        else { return nil }
        let sending = lastSent - firstSent
        // Feedback tells of 250 us at best.
        let arriving = max(lastArrival - firstArrival, 250)
        guard sending < Self.longest, arriving < Self.longest else { return nil }
        let asked = Double(probe.bitrate.rawValue)
        // Sent in one burst, the spacing of the arrivals alone tells of the path.
        let isBurst = sending < probe.duration.rawValue / 1_000 / 3
        let sent = isBurst ? asked : min(Self.rate(bytes - bytesLastSent, sending), asked * 1.2)
        let came = Self.rate(bytes - bytesFirstArrived, arriving)
        if came < Self.saturation * sent { return Result(bitsPerSecond: came * Self.prudence, isSaturated: true) }
        // More than was sent cannot have been measured: the packets were gathered on the way.
        guard isBurst || came < sent * 2 else { return nil }
        return Result(bitsPerSecond: min(sent, came, asked), isSaturated: false)
    }

    private static func rate(_ bytes: Int, _ microseconds: Int64) -> Double {
        Double(bytes) * 8 * 1_000_000 / Double(microseconds)
    }
}
