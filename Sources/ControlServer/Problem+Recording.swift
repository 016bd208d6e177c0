import Recording

extension Problem {
    /// Creates the answer for a recording that cannot begin or does not exist.
    init(_ error: RecordingError) {
        switch error {
        case .alreadyRecording: self.init(.recordingExists, error.description)
        case .notRecording, .sessionNotRecording: self.init(.unknownRecording, error.description)
        case .tooManySessions: self.init(.limitReached, error.description)
        case .encrypted: self.init(.streamEncrypted, error.description)
        case .engine(let error): self.init(error)
        case .directory, .file, .encoder, .thread: self.init(.recordingFailed, error.description)
        }
    }
}
