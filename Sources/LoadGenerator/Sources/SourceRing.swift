import NIOConcurrencyHelpers

/// Encoded media of a source at one time, for all its publishers.
protocol SourceItem: Sendable {
    /// Number in the source: from 0, ascending. A source that is late may leave out numbers.
    var number: Int64 { get }
    /// Time at which it was encoded, in monotonic nanoseconds.
    var ready: Int64 { get }
}

/// Latest items of a source, for readers on other threads. A slow reader misses some.
final class SourceRing<Item: SourceItem>: Sendable {
    let capacity: Int64
    private let state = NIOLockedValueBox(State())

    private struct State {
        /// The latest items, in the order of their numbers.
        var items: [Item] = []
        var next: Int64 { items.last.map { $0.number + 1 } ?? 0 }
    }

    init(capacity: Int64) { self.capacity = capacity }

    /// Number of the next item.
    var next: Int64 { state.withLockedValue { $0.next } }

    /// Returns the item with a number, or the oldest stored one if it is gone; nil if it is not encoded yet.
    func item(_ number: Int64) -> Item? {
        state.withLockedValue { state in
            guard number < state.next else { return nil }
            // Items from before numbers that the source left out count as gone.
            let oldest = max(number, state.next - capacity)
            return state.items.first { $0.number >= oldest }
        }
    }

    func add(_ item: Item) {
        state.withLockedValue { state in
            if state.items.count == capacity { state.items.removeFirst() }
            state.items.append(item)
        }
    }
}
