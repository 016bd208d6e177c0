/// A recording began, ended, or met something that its owner should hear of.
package enum RecordingChange: Sendable {
    case started(RecordingStatus)
    case finished(RecordingStatus)
    /// Writing failed, such as on a full disk; it is tried again.
    case suspended(RecordingStatus)
    /// Writing goes on, in a new file.
    case resumed(RecordingStatus)
    /// Media was damaged or its time jumped: after the first time, at most once a minute.
    case damaged(RecordingStatus)
}
