import MediaBase

/// Names that `Host` may contain on routes that need no token. A page whose own name resolves to this host (DNS rebinding) has the relay's
/// origin in its browser; only the name in `Host` tells them apart. Numeric addresses cannot be rebound.
struct HostRule: Sendable {
    private let names: Set<String>

    /// - Parameter names: names that the operator allows, without ports.
    init(names: [String]) {
        self.names = Set(names.map { Self.normalized($0[...]) })
    }

    /// - Parameter authority: value of `Host`; nil for an HTTP/1.0 request without one, which no browser sends.
    func allows(_ authority: String?) -> Bool {
        guard let authority else { return true }
        guard let name = Self.host(of: authority) else { return false }
        return name == "localhost" || name.hasSuffix(".localhost") || Self.isNumeric(name) || names.contains(name)
    }

    /// Returns the host in lower case, without port and brackets; nil if the text is not an authority (RFC 3986 section 3.2).
    private static func host(of authority: String) -> String? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || isPort(rest) else { return nil }
            return normalized(authority[authority.index(after: authority.startIndex)..<end])
        }
        guard let colon = authority.firstIndex(of: ":") else { return normalized(authority[...]) }
        guard isPort(authority[colon...]) else { return nil }
        return normalized(authority[..<colon])
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && text.utf8.count <= 6 && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
    }

    /// Returns the name in lower case, without the final dot of the DNS root.
    private static func normalized(_ name: Substring) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    private static func isNumeric(_ name: String) -> Bool { SocketAddress(name, port: 0) != nil }
}
