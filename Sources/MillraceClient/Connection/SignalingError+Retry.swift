import Signaling

extension SignalingError {
    /// Of what was asked when the connection was lost.
    static var unanswered: SignalingError {
        SignalingError(.notConnected, "the connection was lost before the answer came")
    }

    /// The relay is busy, goes down or has stumbled: the same may be taken later.
    var isPassing: Bool {
        switch code {
        case .draining, .rateLimited, .internalError, .limitReached, .requestTimeout: true
        default: false
        }
    }

    /// The client is not let back in for now, but may be later.
    /// - Parameter wasUp: it was connected before.
    func allowsAnotherAttempt(wasUp: Bool) -> Bool {
        // Certificates that cannot be read now could be read before.
        isPassing || (wasUp && code == .invalidField && field == "trustedCertificates")
    }
}
