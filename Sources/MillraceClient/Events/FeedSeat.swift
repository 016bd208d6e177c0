import NIOCore
import NIOConcurrencyHelpers

/// Queue of one reader; unregisters from its hub when it is released.
final class FeedSeat<Element: Sendable>: Sendable {
    private struct State {
        var elements = CircularBuffer<Element>()
        var waiter: CheckedContinuation<Element?, Never>?
        var dropped = 0
        var isFinished = false
    }

    private let limit: Int
    private let leave: @Sendable () -> Void
    private let state = NIOLockedValueBox(State())

    init(limit: Int, leave: @escaping @Sendable () -> Void) {
        self.limit = max(1, limit)
        self.leave = leave
    }

    deinit { leave() }

    var dropped: Int { state.withLockedValue { $0.dropped } }

    func offer(_ element: Element) {
        let waiter = state.withLockedValue { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            if state.elements.count >= limit {
                state.elements.removeFirst()
                state.dropped += 1
            }
            state.elements.append(element)
            return nil
        }
        waiter?.resume(returning: element)
    }

    func finish() {
        let waiter = state.withLockedValue { state in
            state.isFinished = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    func poll() -> Element? { state.withLockedValue { $0.elements.popFirst() } }

    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Element?, Never>) in
                let (answer, former) = state.withLockedValue {
                    state -> (Element??, CheckedContinuation<Element?, Never>?) in
                    if let element = state.elements.popFirst() { return (.some(element), nil) }
                    if state.isFinished || Task.isCancelled { return (.some(nil), nil) }
                    // If a second loop reads the same feed, the first one ends.
                    defer { state.waiter = waiter }
                    return (nil, state.waiter)
                }
                former?.resume(returning: nil)
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLockedValue { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: nil)
        }
    }
}
