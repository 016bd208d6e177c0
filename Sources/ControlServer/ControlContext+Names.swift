internal import Conference

extension ControlContext {
    /// The `{session}` of the path.
    var session: SessionName {
        get throws(Problem) { try SessionName(percentEncoded: parameters.get("session") ?? "") }
    }

    /// What the media engine calls the session of the path: that of the token's app, else of the default app.
    var engineName: String {
        get throws(Problem) {
            if let grant { return grant.key.engineName }
            return try session.rawValue
        }
    }

    /// The `{stream}` of the path.
    var stream: StreamName {
        get throws(Problem) { try StreamName(percentEncoded: parameters.get("stream") ?? "") }
    }
}
