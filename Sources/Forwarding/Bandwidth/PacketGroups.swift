/// Groups packets that were sent together. Changes in the spacing of groups between sending and arrival show the queue of the path
/// (draft-ietf-rmcat-gcc-02 sections 5.1 to 5.3).
struct PacketGroups {
    /// Difference between two adjacent groups, in microseconds.
    struct Delta {
        let sent: Int64
        let arrival: Int64
        /// Arrival time of the later group on the peer's clock.
        let at: Int64
    }

    /// Packets sent within this time of the first, in microseconds, form one group. So do packets that arrive within this time of each
    /// other after an interruption of the path.
    private static let burst: Int64 = 5_000
    /// Maximum duration of a group after an interruption, in microseconds.
    private static let longestBurst: Int64 = 100_000
    /// Groups that are further apart than this, in microseconds, are not compared.
    private static let pause: Int64 = 2_000_000

    private struct Group {
        var firstSent: Int64
        var lastSent: Int64
        var firstArrival: Int64
        var lastArrival: Int64
    }
    private var current: Group?
    private var previous: Group?
    /// True if a pause or a jump of the peer's clock interrupted the sequence of groups since this was last reset.
    var wasCut = false

    /// Restarts after the peer's clock jumped: the next packet begins the first group.
    mutating func restart() {
        current = nil
        previous = nil
        wasCut = true
    }

    /// Adds a packet.
    /// - Returns: the difference between the two latest complete groups, if this packet begins a new one.
    mutating func add(_ packet: Acknowledgement) -> Delta? {
        let fresh = Group(
            firstSent: packet.sent, lastSent: packet.sent, firstArrival: packet.arrival, lastArrival: packet.arrival)
        guard var group = current else {
            current = fresh
            return nil
        }
        // A packet that was overtaken belongs to an earlier group.
        guard packet.sent >= group.firstSent else { return nil }
        let gap = packet.arrival - group.lastArrival
        guard packet.sent - group.lastSent < Self.pause, gap > -Self.pause, gap < 2 * Self.pause else {
            current = fresh
            previous = nil
            wasCut = true
            return nil
        }
        if belongs(packet, to: group) {
            group.lastSent = max(group.lastSent, packet.sent)
            group.lastArrival = max(group.lastArrival, packet.arrival)
            current = group
            return nil
        }
        defer {
            previous = group
            current = fresh
        }
        guard let previous else { return nil }
        let arrival = group.lastArrival - previous.lastArrival
        // Groups that arrived in the wrong order would look like a queue that vanished.
        guard arrival >= 0 else { return nil }
        return Delta(sent: group.lastSent - previous.lastSent, arrival: arrival, at: group.lastArrival)
    }

    private func belongs(_ packet: Acknowledgement, to group: Group) -> Bool {
        if packet.sent - group.firstSent <= Self.burst { return true }
        let spacing = packet.arrival - group.lastArrival
        // The spacing shrank on the path: an interruption held all of these packets back together.
        return spacing <= Self.burst && spacing < packet.sent - group.lastSent
            && packet.arrival - group.firstArrival < Self.longestBurst
    }
}
