/// Change that a live stream reports from its thread.
package enum LiveChange: Sendable {
    /// The reader fell behind and continues with the next key frame.
    case skipped
    /// The reader fell behind too often; the live stream has ended.
    case tooSlow
}
