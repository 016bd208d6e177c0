/// The seek index of a file that may grow for days, in bounded memory: when it is full, every second entry goes, and new ones keep the
/// distance that results.
struct WebMCueList {
    /// Most entries: nine hours of one a second, 24 bytes each.
    static let capacity = 32_768

    private(set) var entries: [WebMCue] = []
    /// Least milliseconds from one entry to the next.
    private var spacing: Int64 = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ cue: WebMCue) {
        if let last = entries.last, cue.time - last.time < spacing { return }
        entries.append(cue)
        guard entries.count >= Self.capacity, let first = entries.first else { return }
        entries = entries.indices.filter { $0 % 2 == 0 }.map { entries[$0] }
        spacing = max(spacing, (cue.time - first.time) / Int64(entries.count))
    }
}
