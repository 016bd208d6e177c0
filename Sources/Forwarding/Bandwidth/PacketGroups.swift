/// Packets that left together are one group; the queue of the path shows in how the spacing of groups changes between sending and
/// arrival (draft-ietf-rmcat-gcc-02 sections 5.1 to 5.3).
struct PacketGroups {
    /// Difference of two neighbouring groups, microseconds.
    struct Delta {
        let sent: Int64
        let arrival: Int64
        /// When the later group came, on the peer's clock.
        let at: Int64
    }

    /// Packets that leave within this time of the first are one group, and so are packets that come back to back behind a stop.
    private static let burst: Int64 = 5_000
    /// The longest group of such a stop.
    private static let longestBurst: Int64 = 100_000
    /// Groups further apart say nothing about one queue.
    private static let pause: Int64 = 2_000_000

    private struct Group {
        var firstSent: Int64
        var lastSent: Int64
        var firstArrival: Int64
        var lastArrival: Int64
    }
    private var current: Group?
    private var previous: Group?
    /// A pause or a step of the peer's clock cut the chain since this was last reset.
    var wasCut = false

    /// The peer's clock jumped: the next packet begins the first group.
    mutating func restart() {
        current = nil
        previous = nil
        wasCut = true
    }

    /// - Returns: how the two latest complete groups differ, when this packet begins a new one.
    mutating func add(_ packet: Acknowledgement) -> Delta? {
        let fresh = Group(
            firstSent: packet.sent, lastSent: packet.sent, firstArrival: packet.arrival, lastArrival: packet.arrival)
        guard var group = current else {
            current = fresh
            return nil
        }
        // What was overtaken belongs to a group that is done with.
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
        // Groups that came in the wrong order would look like a queue that vanished.
        guard arrival >= 0 else { return nil }
        return Delta(sent: group.lastSent - previous.lastSent, arrival: arrival, at: group.lastArrival)
    }

    private func belongs(_ packet: Acknowledgement, to group: Group) -> Bool {
        if packet.sent - group.firstSent <= Self.burst { return true }
        let spacing = packet.arrival - group.lastArrival
        // Sent later and yet not further apart on arrival: something held them all up together.
        return spacing <= Self.burst && spacing < packet.sent - group.lastSent
            && packet.arrival - group.firstArrival < Self.longestBurst
    }
}
