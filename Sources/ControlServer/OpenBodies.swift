import NIOConcurrencyHelpers

/// The endless answers being sent (canvas frames and sound), requests that are held back, and whether the relay takes new work: what a shutdown has to end.
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

    /// From now on `/readyz` says 503 and nothing new is opened.
    package func beginDraining() { state.withLockedValue { $0.isDraining = true } }

    /// Ends every open body; each then sends what it has and finishes.
    package func closeAll() {
        let closers = state.withLockedValue { state in
            defer { state.closers = [:] }
            return Array(state.closers.values)
        }
        for close in closers { close() }
    }

    /// - Returns: what to pass to `remove`; nil while draining.
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
