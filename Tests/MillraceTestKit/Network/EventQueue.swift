import MediaBase

/// Events in virtual time: a heap by time, then by order of insertion, so that each run is the same. Flat memory, because a test with a
/// hundred peers passes a million events through it.
struct EventQueue: ~Copyable {
    struct Event {
        var time: MediaTime
        /// Position in the order of `push`.
        var number: UInt64
        /// Kind of the event, defined by the network.
        var kind: Int32
        var index: Int32

        func isBefore(_ other: Event) -> Bool {
            time.rawValue != other.time.rawValue ? time.rawValue < other.time.rawValue : number < other.number
        }
    }

    private var events: UnsafeMutablePointer<Event>
    private var capacity = 1024
    private(set) var count = 0
    private var nextNumber: UInt64 = 0

    init() { events = .allocate(capacity: capacity) }
    deinit { events.deallocate() }

    var first: Event? { count == 0 ? nil : events[0] }

    mutating func push(time: MediaTime, kind: Int32, index: Int32) {
        if count == capacity { grow() }
        let event = Event(time: time, number: nextNumber, kind: kind, index: index)
        nextNumber &+= 1
        var at = count
        count &+= 1
        while at > 0 {
            let parent = (at &- 1) / 2
            guard event.isBefore(events[parent]) else { break }
            events[at] = events[parent]
            at = parent
        }
        events[at] = event
    }

    /// - Precondition: not empty.
    mutating func removeFirst() {
        precondition(count > 0)
        count &-= 1
        guard count > 0 else { return }
        let last = events[count]
        var at = 0
        while true {
            var child = 2 &* at &+ 1
            guard child < count else { break }
            if child &+ 1 < count, events[child &+ 1].isBefore(events[child]) { child &+= 1 }
            guard events[child].isBefore(last) else { break }
            events[at] = events[child]
            at = child
        }
        events[at] = last
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Event>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: events, count: count)
        events.deallocate()
        events = larger
        capacity *= 2
    }
}
