import MediaBase

/// Part of a producer that the forwarding loop accesses, at a fixed address: its packets and its consumers.
package struct ProducerCore: ~Copyable {
    package var ring: PacketRing
    package let isAudio: Bool
    /// The publisher's SSRC.
    var source: SSRC
    package var clock: SenderClock
    /// Consumers sorted by path index, so that a group of paths is a contiguous range.
    package private(set) var consumers: UnsafeMutablePointer<Consumer>
    package private(set) var consumerCount = 0
    private var capacity: Int
    /// Index of the first consumer of the current group of paths.
    var groupStart = 0
    /// Number of consumers that are catching up.
    package var catchingUp = 0
    /// Index of the consumer that the next turn of catching up begins with.
    var catchUpNext = 0
    /// Position of the oldest pending packet in the ring's arena; negative if none is pending.
    var pendingSince = -1
    /// Sequence number of the newest packet if it ends the frame of a spatial layer and it is not known yet under which limits it is the
    /// last packet of its time; see Producer+FrameEnds. Else `noPacket`.
    var undecided = noPacket
    /// Sequence number of a packet that was undecided and has not been queued again yet; else `noPacket`.
    var deferred = noPacket
    static let noPacket = Int64.min
    /// Padding that the stream's packets may still get.
    var paddingCredit = PaddingCredit()

    init(ring: consuming PacketRing, isAudio: Bool, source: SSRC, clock: SenderClock) {
        self.ring = ring
        self.source = source
        self.clock = clock
        self.isAudio = isAudio
        capacity = 4
        consumers = .allocate(capacity: 4)
    }

    deinit {
        for i in 0..<consumerCount { consumers[i].deallocate() }
        consumers.deallocate()
    }

    mutating func insert(_ consumer: Consumer) {
        if consumerCount == capacity {
            capacity *= 2
            consumers.grow(to: capacity, moving: consumerCount)
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
        consumers[at].deallocate()
        (consumers + at).moveInitialize(from: consumers + at + 1, count: consumerCount - at - 1)
        consumerCount -= 1
        return true
    }

    /// Returns the index of the consumer on a path, by binary search.
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
