/// Losses, duplicates and reordering of one RTP stream, from its sequence numbers (RFC 3550 appendix A.1 and A.3, with a window
/// that distinguishes a late packet from a repeated one).
package struct SequenceStatistics: Sendable {
    /// Packets that arrived for the first time.
    package private(set) var received: UInt64 = 0
    package private(set) var duplicates: UInt64 = 0
    /// Packets that arrived after one with a higher number.
    package private(set) var reordered: UInt64 = 0
    /// Number of jumps that are too large to be loss: the sender restarted.
    package private(set) var restarts: UInt64 = 0
    /// Extended number (rollovers x 65,536 + sequence number) of the newest packet.
    package private(set) var highest: Int64 = -1

    private var first: Int64 = -1
    /// Packets expected before the last restart.
    private var expectedBefore: UInt64 = 0
    /// Received numbers among the last 1,024, one bit each.
    private var window = [UInt64](repeating: 0, count: windowSize / 64)
    private static let windowSize = 1_024
    private static let largestJump = 3_000

    package init() {}

    package enum Arrival: Equatable, Sendable {
        case first
        case next
        /// Number of packets missing before this one.
        case gap(Int)
        case late
        case duplicate
        /// Too old for the window.
        case stale
        case restart
    }

    /// Packets that should have arrived.
    package var expected: UInt64 { first < 0 ? 0 : expectedBefore + UInt64(highest - first + 1) }

    /// Packets that should have arrived and have not yet.
    package var lost: UInt64 { expected > received ? expected - received : 0 }

    package mutating func record(_ sequence: UInt16) -> Arrival {
        guard first >= 0 else {
            start(at: Int64(sequence))
            return .first
        }
        let distance = Int64(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: highest)))
        if distance > 0 {
            guard distance <= Self.largestJump else { return restart(at: sequence) }
            clear(from: highest + 1, through: highest + distance)
            highest += distance
            set(highest)
            received += 1
            return distance == 1 ? .next : .gap(Int(distance - 1))
        }
        let number = highest + distance
        guard -distance < Int64(Self.windowSize) else {
            return -distance > Int64(Self.largestJump) ? restart(at: sequence) : .stale
        }
        guard !isSet(number) else {
            duplicates += 1
            return .duplicate
        }
        set(number)
        // A packet older than the first one was not expected until now.
        first = min(first, number)
        received += 1
        reordered += 1
        return .late
    }

    /// Returns the extended number of a sequence number near the newest.
    package func extended(_ sequence: UInt16) -> Int64 {
        highest + Int64(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: highest)))
    }

    private mutating func restart(at sequence: UInt16) -> Arrival {
        expectedBefore = expected
        restarts += 1
        start(at: Int64(sequence))
        return .restart
    }

    private mutating func start(at number: Int64) {
        // Starts one rollover higher, so that a late packet from before the first one has a number that is not negative.
        first = number + 65_536
        highest = first
        for i in window.indices { window[i] = 0 }
        set(highest)
        received += 1
    }

    private func isSet(_ number: Int64) -> Bool {
        let bit = Int(number) & (Self.windowSize - 1)
        return window[bit >> 6] & (1 << UInt64(bit & 63)) != 0
    }
    private mutating func set(_ number: Int64) {
        let bit = Int(number) & (Self.windowSize - 1)
        window[bit >> 6] |= 1 << UInt64(bit & 63)
    }
    private mutating func clear(from low: Int64, through high: Int64) {
        for number in max(low, high - Int64(Self.windowSize) + 1)...high {
            let bit = Int(number) & (Self.windowSize - 1)
            window[bit >> 6] &= ~(1 << UInt64(bit & 63))
        }
    }
}
