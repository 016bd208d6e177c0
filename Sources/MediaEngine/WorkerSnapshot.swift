/// State of one worker for metrics.
package struct WorkerSnapshot: Sendable {
    /// CPU use in the last second, 0 to 1.
    package let load: Double
    package let sessions: Int
}
