import MediaBase

/// The part of a producer that the forwarding loop touches, at an address that does not move: its packets and its consumers.
package struct ProducerCore: ~Copyable {
    package var ring: PacketRing
    package let isAudio: Bool
    /// The publisher's SSRC.
    var source: SSRC
    package var clock: SenderClock
    /// In order of their path index, so that a group of paths is a run of this array.
    package private(set) var consumers: UnsafeMutablePointer<Consumer>
    package private(set) var consumerCount = 0
    private var capacity: Int
    /// First consumer of the group of paths at hand.
    var groupStart = 0
    /// Consumers that are catching up.
    package var catchingUp = 0
    /// Which consumer is looked at first at the next turn of catching up.
    var catchUpNext = 0
    /// Where the oldest packet that is pending lies in the ring's arena; nothing is pending where it is negative.
    var pendingSince = -1

    init(ring: consuming PacketRing, isAudio: Bool, source: SSRC, clock: SenderClock) {
        self.ring = ring
        self.source = source
        self.clock = clock
        self.isAudio = isAudio
        capacity = 4
        consumers = .allocate(capacity: 4)
    }

    deinit {
        for i in 0..<consumerCount { consumers[i].history.deallocate() }
        consumers.deallocate()
    }

    mutating func insert(_ consumer: Consumer) {
        if consumerCount == capacity {
            let grown = UnsafeMutablePointer<Consumer>.allocate(capacity: capacity * 2)
            grown.moveInitialize(from: consumers, count: consumerCount)
            consumers.deallocate()
            consumers = grown
            capacity *= 2
        }
        var at = consumerCount
        while at > 0, consumers[at - 1].path > consumer.path { at -= 1 }
        (consumers + at + 1).moveInitialize(from: consumers + at, count: consumerCount - at)
        (consumers + at).initialize(to: consumer)
        consumerCount += 1
    }

    mutating func remove(path: Int) -> Bool {
        guard let at = index(path: path) else { return false }
        if consumers[at].state == .catchingUp { catchingUp -= 1 }
        consumers[at].history.deallocate()
        (consumers + at).moveInitialize(from: consumers + at + 1, count: consumerCount - at - 1)
        consumerCount -= 1
        return true
    }

    /// Binary search.
    package func index(path: Int) -> Int? {
        var low = 0
        var high = consumerCount
        while low < high {
            let middle = (low + high) / 2
            if consumers[middle].path < path { low = middle + 1 } else { high = middle }
        }
        return low < consumerCount && consumers[low].path == path ? low : nil
    }
}
