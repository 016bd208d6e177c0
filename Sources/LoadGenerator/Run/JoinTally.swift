import TestMedia

/// Results of the joins of a run.
struct JoinTally: Sendable {
    private(set) var joined = 0
    /// Failed joins by `LoadError.kind`.
    private(set) var failures: [String: Int] = [:]
    private(set) var firstFailure: LoadError?
    /// Microseconds from the request to the relay's answer; with WebRTC until media can flow.
    private(set) var time = Distribution()

    var failed: Int { failures.values.reduce(0, +) }

    /// - Parameter duration: nanoseconds.
    mutating func joined(after duration: Int64) {
        joined += 1
        time.record(duration / 1_000)
    }

    mutating func failed(_ error: LoadError) {
        failures[error.kind, default: 0] += 1
        firstFailure = firstFailure ?? error
    }
}
