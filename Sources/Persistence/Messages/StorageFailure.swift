package import Signaling

/// Reason that a command was not carried out: refusal by the rules, or failure of the store.
package enum StorageFailure: Error, Hashable, Sendable {
    case refused(SignalingError)
    case failed(StorageError)

    /// Error for the user.
    package var answer: SignalingError {
        switch self {
        case .refused(let error): error
        case .failed(let error): error.answer
        }
    }
}
