import HTTPTypes

extension HTTPFields {
    /// Fields of one connection (RFC 9110 section 7.6.1), apart from those that `Connection` names; and `Expect`, because a link sends the body
    /// without an invitation.
    private static let perConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect",
    ]
    /// Fields of a WebSocket's handshake that both ends of each connection choose for themselves, and those of a body.
    private static let perSocket: Set<String> = [
        "host", "content-length", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions",
        "sec-websocket-accept",
    ]

    /// Returns the fields that pass from one connection to the next.
    func withoutConnection() -> HTTPFields {
        let named = (self[.connection] ?? "").split(separator: ",").map { name in
            name.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        return without(Self.perConnection.union(named))
    }

    /// Returns the fields that pass from one WebSocket's handshake to the next.
    func withoutSocket() -> HTTPFields { withoutConnection().without(Self.perSocket) }

    private func without(_ names: Set<String>) -> HTTPFields {
        var fields = HTTPFields()
        for field in self where !names.contains(field.name.canonicalName) { fields.append(field) }
        return fields
    }
}
