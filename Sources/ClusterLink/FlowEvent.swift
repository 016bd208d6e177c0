/// Outbound event of the reader of a channel's input.
enum FlowEvent: Sendable {
    /// The reader has room for more.
    case resume
    /// The reader has gone, or has read the end.
    case end
}
