/// Result of a call to a `VirtualEngine`, all of whose workers run on the thread of the call.
final class VirtualOutcome<R: Sendable>: @unchecked Sendable {
    /// Nil: the call has not run yet.
    var result: Result<R, EngineError>?
}
