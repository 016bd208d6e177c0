import Canvas
import NIOConcurrencyHelpers

/// Tap that a body reads now; the tap of the next stream replaces it. Once closed, later taps are closed too.
final class CurrentTap: Sendable {
    private struct State {
        var tap: CanvasTap
        var isClosed = false
    }

    private let state: NIOLockedValueBox<State>

    init(_ tap: CanvasTap) { state = NIOLockedValueBox(State(tap: tap)) }

    var isClosed: Bool { state.withLockedValue { $0.isClosed } }
    /// Whether the video of the current tap cannot be decoded.
    var isRefused: Bool { state.withLockedValue { $0.tap.refusal != nil } }

    /// - Returns: false if it was closed; `tap` is then closed too.
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
