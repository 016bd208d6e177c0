import Canvas
import NIOConcurrencyHelpers

/// The tap that a body reads now; the one of the next stream takes its place. Closing holds for those that follow as well.
final class CurrentTap: Sendable {
    private struct State {
        var tap: CanvasTap
        var isClosed = false
    }

    private let state: NIOLockedValueBox<State>

    init(_ tap: CanvasTap) { state = NIOLockedValueBox(State(tap: tap)) }

    var isClosed: Bool { state.withLockedValue { $0.isClosed } }

    /// - Returns: false if it was closed; then `tap` is closed too.
    func replace(_ tap: CanvasTap) -> Bool {
        let isOpen = state.withLockedValue { state in
            if !state.isClosed { state.tap = tap }
            return !state.isClosed
        }
        if !isOpen { tap.close() }
        return isOpen
    }

    func close() {
        let tap = state.withLockedValue { state in
            state.isClosed = true
            return state.tap
        }
        tap.close()
    }
}
