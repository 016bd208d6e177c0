package import MediaBase

/// Reorders audio packets with a bounded delay: a packet that is more than `maximumWait` late counts as lost.
package struct AudioSequencer: Sendable {
    package struct Packet: Sendable {
        package var sequence: Int64
        /// Unwrapped RTP timestamp, 48 kHz.
        package var timestamp: Int64
        package var arrival: MediaTime
        package var bytes: [UInt8]
    }

    private static let capacity = 64
    private let maximumWait: MediaTime
    /// Packets after a gap, sorted by sequence number.
    private var waiting: [Packet] = []
    private var next: Int64?
    private var ready: [Packet] = []
    private var firstReady = 0

    package private(set) var lostPackets: UInt64 = 0
    package private(set) var gaps: UInt64 = 0
    /// Packets that arrived too late or twice.
    package private(set) var latePackets: UInt64 = 0

    package init(maximumWait: MediaTime = .milliseconds(100)) { self.maximumWait = maximumWait }

    package mutating func insert(_ packet: Packet) {
        let expected = next ?? packet.sequence
        guard packet.sequence >= expected else {
            latePackets += 1
            return
        }
        if packet.sequence == expected {
            ready.append(packet)
            next = expected + 1
            drain()
            return
        }
        let index = waiting.firstIndex { $0.sequence >= packet.sequence } ?? waiting.count
        if index < waiting.count, waiting[index].sequence == packet.sequence {
            latePackets += 1
            return
        }
        waiting.insert(packet, at: index)
        if waiting.count > Self.capacity { giveUp() }
    }

    /// Gives up missing packets whose wait is over.
    package mutating func handleTimeout(now: MediaTime) {
        while let first = waiting.first, now - first.arrival >= maximumWait { giveUp() }
    }

    package var nextTimeout: MediaTime? { waiting.first.map { $0.arrival + maximumWait } }

    /// Gives up all missing packets at the end of the stream.
    package mutating func flush() { while !waiting.isEmpty { giveUp() } }

    package mutating func nextPacket() -> Packet? {
        guard firstReady < ready.count else {
            ready.removeAll(keepingCapacity: true)
            firstReady = 0
            return nil
        }
        firstReady += 1
        return ready[firstReady - 1]
    }

    private mutating func giveUp() {
        guard let first = waiting.first else { return }
        lostPackets &+= UInt64(clamping: first.sequence - (next ?? first.sequence))
        gaps += 1
        next = first.sequence
        drain()
    }

    private mutating func drain() {
        var used = 0
        while used < waiting.count, let expected = next, waiting[used].sequence == expected {
            ready.append(waiting[used])
            next = expected + 1
            used += 1
        }
        waiting.removeFirst(used)
    }
}
