/// A recording began, or ended however it did.
package enum RecordingChange: Sendable {
    case started(RecordingStatus)
    case finished(RecordingStatus)
}
