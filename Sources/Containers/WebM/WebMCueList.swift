/// Seek index of a file of unbounded duration, in bounded memory: when it is full, every second entry is removed, and
/// new entries keep the resulting distance.
struct WebMCueList {
    /// Maximum number of entries: nine hours at one per second, 24 bytes each.
    static let capacity = 32_768

    private let capacity: Int
    private(set) var entries: [WebMCue] = []
    /// Minimum milliseconds between two entries.
    private var spacing: Int64 = 0

    /// - Parameter capacity: maximum number of entries, at least 2.
    init(capacity: Int = WebMCueList.capacity) { self.capacity = capacity }

    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ cue: WebMCue) {
        if let last = entries.last, cue.time - last.time < spacing { return }
        entries.append(cue)
        guard entries.count >= capacity, let first = entries.first else { return }
        entries = entries.indices.filter { $0 % 2 == 0 }.map { entries[$0] }
        spacing = max(spacing, (cue.time - first.time) / Int64(entries.count))
    }
}
