import NIOConcurrencyHelpers

/// Distributes each element to all readers. Releasing the hub ends the readers' loops.
final class FeedHub<Element: Sendable>: Sendable {
    private struct Entry {
        weak var seat: FeedSeat<Element>?
    }

    private struct State {
        var seats: [UInt64: Entry] = [:]
        var next: UInt64 = 0
        var isFinished = false
    }

    private let state = NIOLockedValueBox(State())

    deinit { finish() }

    var isWatched: Bool { state.withLockedValue { !$0.seats.isEmpty } }

    /// - Parameter limit: maximum number of elements queued for the reader.
    func feed(limit: Int) -> Feed<Element> {
        let number = state.withLockedValue { state in
            state.next += 1
            return state.next
        }
        let seat = FeedSeat<Element>(limit: limit) { [weak self] in
            _ = self?.state.withLockedValue { $0.seats.removeValue(forKey: number) }
        }
        // Check and insertion are one atomic step; otherwise a `finish()` in between would be missed.
        let isFinished = state.withLockedValue { state in
            if !state.isFinished { state.seats[number] = Entry(seat: seat) }
            return state.isFinished
        }
        if isFinished { seat.finish() }
        return Feed(seat)
    }

    func send(_ element: Element) {
        // The strong references outlive the lock: releasing the last reference to a seat takes the lock
        // again.
        let seats = state.withLockedValue { state in state.seats.values.compactMap(\.seat) }
        for seat in seats { seat.offer(element) }
    }

    /// Ends the readers' loops after their queued elements.
    func finish() {
        let seats = state.withLockedValue { state in
            state.isFinished = true
            return state.seats.values.compactMap(\.seat)
        }
        for seat in seats { seat.finish() }
    }
}
