/// Queue of a state machine's outputs, in order.
struct OutputQueue<Output> {
    private var waiting: [Output] = []
    private var taken = 0

    mutating func append(_ output: Output) { waiting.append(output) }

    mutating func next() -> Output? {
        guard taken < waiting.count else {
            // Frees the memory of an idle peer, since most half-open peers are idle.
            if !waiting.isEmpty { waiting = [] }
            taken = 0
            return nil
        }
        defer { taken += 1 }
        return waiting[taken]
    }
}
