/// What the trend of the delay says about a path: whether its queue grows.
package enum DelayUsage: UInt8, Sendable {
    case normal
    /// More is sent than the path takes.
    case overuse
    /// A queue is being emptied.
    case underuse
}
