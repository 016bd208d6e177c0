import Conference

extension ControlContext {
    /// The `{session}` of the path.
    var session: SessionName {
        get throws(Problem) { try SessionName(percentEncoded: parameters.get("session") ?? "") }
    }

    /// Name of the path's session in the media engine: in the token's app, or else in the default app.
    var engineName: String {
        get throws(Problem) {
            if let grant { return grant.engineName }
            return try session.rawValue
        }
    }

    /// Returns the client of an endpoint without signalling that asks to enter a session.
    ///
    /// - Parameter password: session password in the request.
    func visitor(
        to key: SessionKey, token: VerifiedToken? = nil, isTrusted: Bool, password: String?
    ) -> Visitor {
        Visitor(
            key: key, token: token, isTrusted: isTrusted, password: password,
            address: addressGroup, relay: edge)
    }

    /// The `{stream}` of the path.
    var stream: StreamName {
        get throws(Problem) { try StreamName(percentEncoded: parameters.get("stream") ?? "") }
    }
}
