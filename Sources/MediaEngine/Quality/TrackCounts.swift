/// Counters of a track, or what was added to them.
struct TrackCounts {
    var packets: UInt64 = 0
    var bytes: UInt64 = 0
    var lost: Int64 = 0

    static func += (a: inout TrackCounts, b: TrackCounts) {
        a.packets &+= b.packets
        a.bytes &+= b.bytes
        a.lost &+= b.lost
    }

    /// Returns what was added since the last call with the same `before`, and stores these counters there. Counters that have gone back,
    /// because a track ended or late packets arrived, added nothing.
    func added(since before: inout TrackCounts) -> TrackCounts {
        defer { before = self }
        let (newlyLost, overflow) = lost.subtractingReportingOverflow(before.lost)
        return TrackCounts(
            packets: packets > before.packets ? packets - before.packets : 0,
            bytes: bytes > before.bytes ? bytes - before.bytes : 0,
            lost: lost > before.lost ? (overflow ? .max : newlyLost) : 0)
    }
}
