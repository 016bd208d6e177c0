import MediaBase
import MillraceTestKit

/// A path in virtual time with a bottleneck: a queue that drops excess packets, a link of limited rate, then a delay.
struct BottleneckLink {
    struct Conditions {
        /// Bits a second.
        var rate: Double = 2_000_000
        /// Longest wait in the queue, milliseconds, at `rate`.
        var queue: Double = 1_000
        /// One-way delay in milliseconds.
        var delay: Double = 25
        /// Share of packets that are lost after the queue.
        var loss = 0.0
        /// Largest additional delay of one packet, milliseconds; packets keep their order.
        var jitter = 0.0
        /// Cross traffic that does not yield, bits a second.
        var others = 0.0
        /// Share of packets that are overtaken, and their additional delay in milliseconds.
        var reordering = 0.0
    }

    var conditions: Conditions
    private var random: SeededGenerator
    private var waiting: [(packet: Int, bytes: Int, since: Double)] = []
    private var freeAt = 0.0
    private var lastArrival = 0.0
    private var othersOwed = 0.0
    private(set) var dropped = 0

    /// A packet of the cross traffic.
    private static let foreign = -1

    init(_ conditions: Conditions, seed: UInt64) {
        self.conditions = conditions
        random = SeededGenerator(seed: seed)
    }

    mutating func uniform() -> Double { Double(random.below(1 << 30)) / Double(1 << 30) }

    /// Queueing delay of a packet that is sent now, in milliseconds.
    var queueDelay: Double {
        Double(waiting.reduce(0) { $0 + $1.bytes }) * 8_000 / conditions.rate
    }

    mutating func send(_ packet: Int, bytes: Int, at now: Double) {
        guard queueDelay < conditions.queue else {
            dropped += 1
            return
        }
        waiting.append((packet, bytes, now))
    }

    /// Advances the time by a millisecond. - Returns: packets that left the link, and their arrival times in ms.
    mutating func advance(to now: Double) -> [(packet: Int, arrival: Double)] {
        othersOwed += conditions.others / 8_000
        while othersOwed >= 1_200 {
            send(Self.foreign, bytes: 1_200, at: now)
            othersOwed -= 1_200
        }
        var out: [(Int, Double)] = []
        while let head = waiting.first {
            let start = max(freeAt, head.since)
            let end = start + Double(head.bytes) * 8_000 / conditions.rate
            guard end <= now else { break }
            waiting.removeFirst()
            freeAt = end
            let isLost = uniform() < conditions.loss
            if head.packet == Self.foreign || isLost { continue }
            var arrival = end + conditions.delay + uniform() * conditions.jitter
            if uniform() < conditions.reordering {
                arrival += 30
            } else {
                arrival = max(arrival, lastArrival)
                lastArrival = arrival
            }
            out.append((head.packet, arrival))
        }
        return out
    }
}
