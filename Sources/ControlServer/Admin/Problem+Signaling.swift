package import Signaling

extension Problem {
    package init(_ error: SignalingError) {
        self.init(
            error.code, error.message, field: error.field, limit: error.limit, retryAfter: error.retryAfter)
    }
}

extension SignalingError {
    package init(_ problem: Problem) {
        self.init(
            problem.code, problem.detail, field: problem.field, limit: problem.limit, retryAfter: problem.retryAfter)
    }
}
