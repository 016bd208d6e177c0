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
    private let state: NIOLockedValueBox<State>

    private struct State {
        var items: [Item?]
        var next: Int64 = 0
    }

    init(capacity: Int) {
        self.capacity = Int64(capacity)
        state = NIOLockedValueBox(State(items: Array(repeating: nil, count: capacity)))
    }

    /// Number of the next item.
    var next: Int64 { state.withLockedValue { $0.next } }

    /// Returns the item with a number, or the oldest stored one if it is gone; nil if it is not encoded yet.
    func item(_ number: Int64) -> Item? {
        state.withLockedValue { state in
            var number = max(number, state.next - capacity)
            while number < state.next {
                // The slot of a number that the source left out has an older item.
                if let item = state.items[Int(number % capacity)], item.number == number { return item }
                number += 1
            }
            return nil
        }
    }

    func add(_ item: Item) {
        state.withLockedValue { state in
            state.items[Int(item.number % capacity)] = item
            state.next = item.number + 1
        }
    }
}
