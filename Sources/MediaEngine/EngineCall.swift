/// A call that is in its worker's mailbox: calls run in the order in which they were begun.
package struct EngineCall: Sendable {
    private let outcome = EngineOutcome()

    init(_ begin: (EngineOutcome) -> Void) { begin(outcome) }

    /// Returns once the engine has done it, whatever becomes of the task that waits.
    package func finish() async throws(EngineError) { try await outcome.wait().get() }
}
