package import MediaEngine

extension Problem {
    /// The answer for what the engine refused.
    package init(_ error: EngineError) {
        switch error {
        case .unknownSession: self.init(.unknownSession, error.description, retryAfter: 1)
        case .unknownStream: self.init(.unknownStream, error.description, retryAfter: 1)
        case .unknownTransport: self.init(.unknownTransport, error.description)
        case .streamExists: self.init(.streamExists, error.description, field: "stream")
        case .ssrcInUse: self.init(.ssrcInUse, error.description, field: "ssrc")
        case .invalidRequest(let field, let reason): self.init(.invalidField, reason, field: field)
        case .limitReached(let name, _): self.init(.limitReached, error.description, limit: name, retryAfter: 5)
        case .addressUnusable: self.init(.addressUnusable, error.description, field: "address")
        case .systemCall: self.init(.internalError, error.description)
        case .stopped: self.init(.draining, error.description, retryAfter: 5)
        }
    }
}
