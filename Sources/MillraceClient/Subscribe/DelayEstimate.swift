import MediaBase

/// How long packets of a stream must be held back so that nearly all of them are there when their turn comes. Reads no clock.
///
/// Each packet's way is compared with the fastest of late: the difference goes into a histogram that slowly forgets, and the delay
/// is what covers `coverage` of it. A packet that comes later than that raises it at once; it sinks slowly.
struct DelayEstimate: Sendable {
    struct Configuration: Hashable, Sendable {
        var shortest = MediaTime.milliseconds(20)
        var longest = MediaTime.milliseconds(800)
        /// Share of the packets that are to be there in time.
        var coverage = 0.97
        /// Share of what a packet adds to the histogram against all before it: about the last 250 packets count.
        var weight = 1.0 / 250

        init() {}
    }

    /// Widths of the histogram's bins.
    private static let bin: Int64 = 5_000_000
    /// The fastest way is looked for in the last one to two of these.
    private static let window = MediaTime.seconds(8)

    private let configuration: Configuration
    private var bins: [Double]
    private var fastest: Int64 = .max
    private var fastestBefore: Int64 = .max
    private var windowEnd = MediaTime.never
    private var count = 0
    private(set) var target: MediaTime
    /// Smoothed difference between neighbours' ways, as RFC 3550 section 6.4.1 has it.
    private(set) var jitter = MediaTime.zero
    private var lastWay: Int64?

    init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        bins = Array(repeating: 0, count: Int(configuration.longest.rawValue / Self.bin) + 2)
        target = configuration.shortest
    }

    /// - Parameters:
    ///   - arrival: when the packet came.
    ///   - mediaTime: of its first sample, on the sender's clock.
    mutating func add(arrival: MediaTime, mediaTime: MediaTime) {
        let way = arrival.rawValue &- mediaTime.rawValue
        if windowEnd == .never { windowEnd = arrival + Self.window }
        if arrival >= windowEnd {
            windowEnd = arrival + Self.window
            fastestBefore = fastest
            fastest = .max
        }
        fastest = min(fastest, way)
        let late = max(0, way &- base)
        if let lastWay {
            let difference = way > lastWay ? way &- lastWay : lastWay &- way
            jitter = .nanoseconds(jitter.rawValue + (difference - jitter.rawValue) / 16)
        }
        lastWay = way
        count += 1
        // The first packets weigh more, so that the estimate is of use soon.
        let weight = max(configuration.weight, 1 / Double(count))
        for place in bins.indices { bins[place] *= 1 - weight }
        bins[min(bins.count - 1, Int(late / Self.bin))] += weight
        settle()
    }

    /// The way of the fastest packet of late, nanoseconds on two clocks.
    var base: Int64 { min(fastest, fastestBefore) }

    /// Everything is different from now on: the stream began anew.
    mutating func reset() { self = DelayEstimate(configuration) }

    private mutating func settle() {
        var sum = 0.0
        var place = 0
        while place < bins.count - 1 {
            sum += bins[place]
            if sum >= configuration.coverage { break }
            place += 1
        }
        let covered = MediaTime.nanoseconds(Int64(place + 1) * Self.bin)
        let wanted = min(max(covered, configuration.shortest), configuration.longest)
        if wanted > target {
            target = wanted
        } else {
            // An eighth of a per cent a packet: half the way back takes some ten seconds.
            target = .nanoseconds(target.rawValue - (target.rawValue - wanted.rawValue) / 800)
        }
    }
}
