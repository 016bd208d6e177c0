package import MediaEngine

extension Problem {
    /// Configuration keys of the engine's limits.
    private static let limitKeys = [
        "sessions": "limit.sessions", "streamsPerSession": "limit.streams", "transportsPerSession": "limit.transports",
        "tapsPerStream": "limit.taps", "mailbox": "limit.mailbox", "programmes": "limit.programmes",
        "programmeReaders": "limit.programmeReaders",
    ]

    /// Creates the answer for an error of the engine.
    package init(_ error: EngineError) {
        switch error {
        case .unknownSession: self.init(.unknownSession, error.description, retryAfter: 1)
        case .unknownStream: self.init(.unknownStream, error.description, retryAfter: 1)
        case .unknownTransport: self.init(.unknownTransport, error.description)
        case .streamEncrypted: self.init(.streamEncrypted, error.description)
        case .codecMismatch: self.init(.codecMismatch, error.description)
        case .streamExists: self.init(.streamExists, error.description, field: "stream")
        case .ssrcInUse: self.init(.ssrcInUse, error.description, field: "ssrc")
        case .invalidRequest(let field, let reason): self.init(.invalidField, reason, field: field)
        case .limitReached(let name, let limit):
            let key = Self.limitKeys[name] ?? name
            self.init(.limitReached, "\(key) of \(limit) is reached", limit: key, retryAfter: 5)
        case .addressUnusable: self.init(.addressUnusable, error.description, field: "address")
        case .systemCall: self.init(.internalError, error.description)
        case .stopped: self.init(.draining, error.description, retryAfter: 5)
        }
    }
}
