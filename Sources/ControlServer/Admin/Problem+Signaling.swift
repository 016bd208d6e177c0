package import Signaling

extension Problem {
    package init(_ error: SignalingError) {
        // Other users share the limits: capacity may be free again soon.
        let retryAfter = error.retryAfter ?? (error.code == .limitReached ? 5 : nil)
        self.init(error.code, error.message, field: error.field, limit: error.limit, retryAfter: retryAfter)
    }
}

extension SignalingError {
    package init(_ problem: Problem) {
        self.init(
            problem.code, problem.detail, field: problem.field, limit: problem.limit, retryAfter: problem.retryAfter)
    }
}
