/// Result of a run, as JSON.
struct HostileReport: Encodable {
    /// Packets by the names of `PacketKind`.
    var sent: [String: UInt64] = [:]
    var total: UInt64 = 0
    /// Number of packets under a valid key or a valid integrity code.
    var authentic: UInt64 = 0
    /// ICE restarts that the relay answered.
    var restarts: UInt64 = 0
    /// Transports that were opened, and requests for them that the relay refused, with the last reasons.
    var opened: UInt64 = 0
    var refused: UInt64 = 0
    var refusals: [String] = []
    var seconds = 0.0
}
