package import Signaling

/// Why a command was not carried out: the rules refuse it, or the store failed.
package enum StorageFailure: Error, Hashable, Sendable {
    case refused(SignalingError)
    case failed(StorageError)

    /// What the user is told.
    package var answer: SignalingError {
        switch self {
        case .refused(let error): error
        case .failed(let error): error.answer
        }
    }
}
