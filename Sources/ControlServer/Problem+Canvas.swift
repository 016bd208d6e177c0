import Canvas

extension Problem {
    /// Creates the answer for an error of a canvas.
    init(_ error: CanvasError) {
        switch error {
        case .engine(let error): self.init(error)
        case .codecNotDecodable: self.init(.codecNotDecodable, error.description)
        case .noFrame: self.init(.noMedia, error.description, retryAfter: 1)
        case .undecodable: self.init(.noMedia, error.description)
        case .codec, .container, .thread: self.init(.internalError, error.description)
        }
    }
}
