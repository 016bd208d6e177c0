import MediaBase

/// Events in the order of their times; events of the same time in the order in which they were added.
struct EventQueue<Event> {
    private struct Entry {
        let time: Int64
        let number: Int

        static func < (a: Entry, b: Entry) -> Bool { a.time < b.time || a.time == b.time && a.number < b.number }
    }

    /// Binary heap.
    private var entries: [Entry] = []
    /// Events by their numbers, so that the heap moves no large values.
    private var events: [Int: Event] = [:]
    private var last = 0

    var firstTime: MediaTime? { entries.first.map { MediaTime(rawValue: $0.time) } }

    mutating func add(_ event: Event, at time: MediaTime) {
        last += 1
        events[last] = event
        entries.append(Entry(time: time.rawValue, number: last))
        var child = entries.count - 1
        while child > 0, entries[child] < entries[(child - 1) / 2] {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func takeFirst() -> Event? {
        guard let first = entries.first else { return nil }
        let end = entries.removeLast()
        guard !entries.isEmpty else { return events.removeValue(forKey: first.number) }
        entries[0] = end
        var parent = 0
        while true {
            var least = parent
            let left = 2 * parent + 1, right = left + 1
            if left < entries.count, entries[left] < entries[least] { least = left }
            if right < entries.count, entries[right] < entries[least] { least = right }
            guard least != parent else { return events.removeValue(forKey: first.number) }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
