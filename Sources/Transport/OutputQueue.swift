/// What a state machine wants done, in order, until it is taken.
struct OutputQueue<Output> {
    private var waiting: [Output] = []
    private var taken = 0

    mutating func append(_ output: Output) { waiting.append(output) }

    mutating func next() -> Output? {
        guard taken < waiting.count else {
            // Nothing is kept for a peer that is quiet: most of those that are half open are.
            if !waiting.isEmpty { waiting = [] }
            taken = 0
            return nil
        }
        defer { taken += 1 }
        return waiting[taken]
    }
}
