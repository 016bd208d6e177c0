import Recording

extension Problem {
    /// The answer for a recording that cannot begin or is not there.
    init(_ error: RecordingError) {
        switch error {
        case .alreadyRecording: self.init(.recordingExists, error.description)
        case .notRecording: self.init(.unknownRecording, error.description)
        case .engine(let error): self.init(error)
        case .directory, .file, .thread: self.init(.recordingFailed, error.description)
        }
    }
}
