import MediaBase

/// Estimate of the delay after which nearly all packets of a stream have arrived. Reads no clock.
///
/// Each packet's transit time is compared with the shortest recent one. The difference is added to a histogram with exponential
/// forgetting; the delay covers the fraction `coverage` of the histogram. The target rises at once and falls slowly.
struct DelayEstimate: Sendable {
    struct Configuration: Hashable, Sendable {
        var shortest = MediaTime.milliseconds(20)
        var longest = MediaTime.milliseconds(800)
        /// Fraction of packets that must arrive in time.
        var coverage = 0.97
        /// Weight of a new packet in the histogram; about the last 250 packets count.
        var weight = 1.0 / 250

        init() {}
    }

    /// Width of the histogram's bins in nanoseconds.
    private static let bin: Int64 = 5_000_000
    /// The shortest transit time is the minimum of the last one to two windows.
    private static let window = MediaTime.seconds(8)

    private let configuration: Configuration
    private var bins: [Double]
    private var fastest: Int64 = .max
    private var fastestBefore: Int64 = .max
    private var windowEnd = MediaTime.never
    private var count = 0
    private(set) var target: MediaTime
    /// Interarrival jitter (RFC 3550 section 6.4.1).
    private(set) var jitter = MediaTime.zero
    private var lastWay: Int64?

    init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        bins = Array(repeating: 0, count: Int(configuration.longest.rawValue / Self.bin) + 2)
        target = configuration.shortest
    }

    /// - Parameters:
    ///   - arrival: time of arrival.
    ///   - mediaTime: time of the packet's first sample, on the sender's clock.
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
        // The first packets have a greater weight, so that the estimate is soon usable.
        let weight = max(configuration.weight, 1 / Double(count))
        for index in bins.indices { bins[index] *= 1 - weight }
        bins[min(bins.count - 1, Int(late / Self.bin))] += weight
        settle()
    }

    /// Shortest recent transit time: the difference between two clocks in nanoseconds.
    var base: Int64 { min(fastest, fastestBefore) }

    /// Resets the estimate after a restart of the stream.
    mutating func reset() { self = DelayEstimate(configuration) }

    private mutating func settle() {
        var sum = 0.0
        var index = 0
        while index < bins.count - 1 {
            sum += bins[index]
            if sum >= configuration.coverage { break }
            index += 1
        }
        let covered = MediaTime.nanoseconds(Int64(index + 1) * Self.bin)
        let wanted = min(max(covered, configuration.shortest), configuration.longest)
        if wanted > target {
            target = wanted
        } else {
            // The target moves by 1/800 of the difference per packet; half of the way takes about ten seconds.
            target = .nanoseconds(target.rawValue - (target.rawValue - wanted.rawValue) / 800)
        }
    }
}
