import MediaBase

/// Events in the order of their times; events of the same time in the order in which they were added.
struct EventQueue<Event> {
    private struct Entry {
        let time: MediaTime
        let number: Int
        let event: Event

        static func < (a: Entry, b: Entry) -> Bool { (a.time, a.number) < (b.time, b.number) }
    }

    /// Binary heap.
    private var entries: [Entry] = []
    private var last = 0

    var firstTime: MediaTime? { entries.first?.time }

    mutating func add(_ event: Event, at time: MediaTime) {
        last += 1
        entries.append(Entry(time: time, number: last, event: event))
        var child = entries.count - 1
        while child > 0, entries[child] < entries[(child - 1) / 2] {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func takeFirst() -> Event? {
        guard let first = entries.first else { return nil }
        let end = entries.removeLast()
        guard !entries.isEmpty else { return first.event }
        entries[0] = end
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && entries[child] < entries[least]
            {
                least = child
            }
            guard least != parent else { return first.event }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
