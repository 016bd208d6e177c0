/// Reason that entries of a journal are not written.
package enum JournalLoss: Sendable, CustomStringConvertible {
    /// The journal has its maximum size.
    case full(session: String)
    case failed(RecordingError)
    /// The disk is too slow.
    case overloaded

    package var description: String {
        switch self {
        case .full(let session):
            "today's journal of \(session) has its maximum size of \(JournalFile.maximumBytes >> 20) MiB"
        case .failed(let error): error.description
        case .overloaded: "\(JournalWriter.maximumWaiting) entries wait for the disk"
        }
    }
}
