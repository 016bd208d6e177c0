/// Start, end or another event of a recording that its owner is notified of.
package enum RecordingChange: Sendable {
    case started(RecordingStatus)
    case finished(RecordingStatus)
    /// Writing failed, such as on a full disk, and will be retried.
    case suspended(RecordingStatus)
    /// Writing has resumed in a new file.
    case resumed(RecordingStatus)
    /// Media was damaged or its time jumped. Reported the first time, then at most once a minute.
    case damaged(RecordingStatus)
    /// The recorded streams of a session were composed to one file, or could not be.
    case composed(Composition)
}
