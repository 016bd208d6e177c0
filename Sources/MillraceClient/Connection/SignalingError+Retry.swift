import Signaling

extension SignalingError {
    /// Error for requests that were pending when the connection was lost.
    static var unanswered: SignalingError {
        SignalingError(.notConnected, "the connection was lost before the answer came")
    }

    /// Whether the error is temporary (the relay is busy, draining, had an internal error or cannot reach the session's
    /// home relay), so that the same request may succeed later.
    var isPassing: Bool {
        switch code {
        case .draining, .unavailable, .misdirected, .rateLimited, .internalError, .limitReached, .requestTimeout: true
        default: false
        }
    }

    /// Returns whether a refused client may try to connect again.
    /// - Parameter wasUp: true if it was connected before.
    func allowsAnotherAttempt(wasUp: Bool) -> Bool {
        // The certificate file was readable before, so the failure may be temporary.
        isPassing || (wasUp && code == .invalidField && field == "trustedCertificates")
    }
}
