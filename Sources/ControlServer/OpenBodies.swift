import NIOConcurrencyHelpers

/// Work that a shutdown must end: endless answers (canvas, live streams) and requests that are held back. Also records whether the relay
/// drains.
package final class OpenBodies: Sendable {
    private struct State {
        var isDraining = false
        var nextID = 0
        var closers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    package var isDraining: Bool { state.withLockedValue { $0.isDraining } }
    package var count: Int { state.withLockedValue { $0.closers.count } }

    /// Makes `/readyz` answer 503 and refuses new work from now on.
    package func beginDraining() { state.withLockedValue { $0.isDraining = true } }

    /// Ends every open body; each sends its remaining data and finishes.
    package func closeAll() {
        let closers = state.withLockedValue { state in
            defer { state.closers = [:] }
            return Array(state.closers.values)
        }
        for close in closers { close() }
    }

    /// - Returns: id for `remove`; nil while draining.
    func add(_ close: @escaping @Sendable () -> Void) -> Int? {
        state.withLockedValue { state in
            guard !state.isDraining else { return nil }
            state.nextID += 1
            state.closers[state.nextID] = close
            return state.nextID
        }
    }

    func remove(_ id: Int) { state.withLockedValue { _ = $0.closers.removeValue(forKey: id) } }
}
