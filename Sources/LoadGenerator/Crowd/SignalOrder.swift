/// What one participant has got of each other's signals, and whether in order (SIG-2).
struct SignalOrder: Sendable {
    private var last: [Int: Int] = [:]
    private(set) var received = 0
    /// Numbers that were jumped over: lost, or late.
    private(set) var skipped = 0
    /// Came after a later one of the same sender, or twice.
    private(set) var disordered = 0

    mutating func receive(_ mark: SignalMark) {
        received += 1
        let before = last[mark.sender] ?? 0
        guard mark.number > before else {
            disordered += 1
            return
        }
        skipped += mark.number - before - 1
        last[mark.sender] = mark.number
    }
}
