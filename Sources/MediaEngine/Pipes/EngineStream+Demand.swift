import Forwarding
import MediaBase

/// Encodings that a relay needs of a stream that is published at another one.
extension EngineStream {
    /// Whether the relay of the publisher is told which encodings to send. A single encoding is sent anyhow, unless it was held back when there
    /// were others.
    var isOnDemand: Bool { source.isPipe && (encodings.count > 1 || demand.hasBegun) }

    /// Returns whether a subscriber or a tap in this part of the session takes an encoding, or prepares to.
    func takes(_ producer: Producer) -> Bool { takers(of: producer) > 0 }

    /// Returns the number of subscribers and taps in this part of the session that take an encoding, or prepare to.
    func takers(of producer: Producer) -> Int {
        var takers = producer.takers + choosingTaps.count { $0.takes(producer) }
        if video === producer || run.shows(producer) { takers += taps.count { $0.wants(.video) } }
        return takers
    }

    /// Determines the encodings that are needed: those that are taken or were taken a moment ago, and the smallest, with which new subscribers
    /// begin.
    /// - Parameter others: encodings that other parts of the session take.
    /// - Returns: whether the demand has changed.
    func updateDemand(takenElsewhere others: [Producer], now: MediaTime) -> Bool {
        let smallest = encodings.first { $0.producer.isActive(now: now) } ?? encodings.first
        for encoding in encodings {
            let producer = encoding.producer
            if producer === smallest?.producer || takes(producer)
                || others.contains(where: { $0 === producer })
            {
                demand.note(producer.tag, now: now)
            }
        }
        return demand.update(now: now)
    }

    /// Returns the encoding to show until a chosen one arrives: the largest smaller one that arrives, if the chosen one is held back by another
    /// relay.
    func substitute(for producer: Producer, now: MediaTime) -> Producer {
        guard isOnDemand, producer.isHeldBack(now: now) else { return producer }
        let smaller = encodings.map(\.producer).prefix { $0 !== producer }
        return smaller.last { $0.isActive(now: now) && !$0.isHeldBack(now: now) } ?? producer
    }
}
