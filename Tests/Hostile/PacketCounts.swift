/// Sent packets, by kind.
struct PacketCounts: Sendable {
    private var counts = [UInt64](repeating: 0, count: PacketKind.allCases.count)
    private(set) var total: UInt64 = 0

    /// Datagrams, which the relay counts as received; excludes frames over TCP.
    var datagrams: UInt64 { total - self[.framed] - self[.brokenFrames] }
    var authentic: UInt64 { PacketKind.allCases.reduce(0) { $0 + ($1.isAuthentic ? self[$1] : 0) } }

    subscript(kind: PacketKind) -> UInt64 { counts[Self.indices[kind] ?? 0] }

    mutating func add(_ kind: PacketKind) {
        counts[Self.indices[kind] ?? 0] += 1
        total += 1
    }

    private static let indices = Dictionary(uniqueKeysWithValues: PacketKind.allCases.enumerated().map { ($1, $0) })
}
