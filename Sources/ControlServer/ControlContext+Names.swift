import Conference

extension ControlContext {
    /// The `{session}` of the path.
    var session: SessionName {
        get throws(Problem) { try SessionName(percentEncoded: parameters.get("session") ?? "") }
    }

    /// What the media engine calls the session of the path: that of the token's app, else of the default app.
    var engineName: String {
        get throws(Problem) {
            if let grant { return grant.engineName }
            return try session.rawValue
        }
    }

    /// Who asks a door without signalling to be let into a session.
    ///
    /// - Parameter password: of the session, as the request says it.
    func visitor(
        to key: SessionKey, token: VerifiedToken? = nil, isTrusted: Bool, password: String?
    ) -> Visitor {
        Visitor(
            key: key, token: token, isTrusted: isTrusted, password: password,
            address: ClientAddress.group(of: channel.remoteAddress))
    }

    /// The `{stream}` of the path.
    var stream: StreamName {
        get throws(Problem) { try StreamName(percentEncoded: parameters.get("stream") ?? "") }
    }
}
