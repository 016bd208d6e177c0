/// Signals that one participant received, and whether they were in order (SIG-2).
struct SignalOrder: Sendable {
    private var last: [Int: Int] = [:]
    private(set) var received = 0
    /// Signals that arrived after a later one of the same sender, or twice.
    private(set) var disordered = 0

    mutating func receive(_ mark: SignalMark) {
        received += 1
        guard mark.number > last[mark.sender] ?? 0 else { return disordered += 1 }
        last[mark.sender] = mark.number
    }
}
