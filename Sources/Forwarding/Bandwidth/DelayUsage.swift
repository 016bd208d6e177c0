/// State of a path's queue according to the delay trend.
package enum DelayUsage: UInt8, Sendable {
    case normal
    /// More is sent than the path can carry, so its queue grows.
    case overuse
    /// The queue is draining.
    case underuse
}
