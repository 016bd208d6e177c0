internal import Foundation
internal import MediaBase

/// By which names a relay without an admin token may be called. A page whose own name leads to this machine (DNS rebinding) is of the same
/// origin for its browser; the name in `Host` is what gives it away. Numeric addresses cannot be rebound.
struct HostRule: Sendable {
    private let names: Set<String>

    /// - Parameters:
    ///   - names: those that the operator allows, without ports.
    ///   - origin: one that the operator named for CORS.
    init(names: [String], origin: String) {
        var all = names
        if let host = URL(string: origin)?.host() { all.append(host) }
        self.names = Set(all.map { Self.normalized($0[...]) })
    }

    /// - Parameter authority: as in `Host`; nil: there is none, as no browser does it.
    func allows(_ authority: String?) -> Bool {
        guard let authority else { return true }
        guard let name = Self.host(of: authority) else { return false }
        return name == "localhost" || name.hasSuffix(".localhost") || Self.isNumeric(name) || names.contains(name)
    }

    /// Without its port and brackets, in lower case; nil where it is no authority (RFC 3986 section 3.2).
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

    /// A name may end in the root's dot.
    private static func normalized(_ name: Substring) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    private static func isNumeric(_ name: String) -> Bool { SocketAddress(name, port: 0) != nil }
}
