/// A call that its worker's mailbox holds. Calls run in the order in which they were begun.
package struct EngineCall: Sendable {
    private let outcome = EngineOutcome()

    init(_ begin: (EngineOutcome) -> Void) { begin(outcome) }

    /// Waits until the engine has run the call. Cancelling the waiting task does not cancel the call.
    package func finish() async throws(EngineError) { try await outcome.wait().get() }
}
