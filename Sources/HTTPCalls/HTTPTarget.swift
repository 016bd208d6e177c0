import Foundation

/// Parsed http: or https: URL of a call.
package struct HTTPTarget: Sendable, Hashable, CustomStringConvertible {
    package var isSecure: Bool
    /// A name or a numeric address, without brackets.
    package var host: String
    package var port: Int
    /// Path and query as in the request line.
    package var path: String

    /// - Returns: nil if `text` is not an http: or https: URL in visible ASCII with a host, or has a user name or a fragment.
    package init?(_ text: String) {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (33...126).contains($0) }),
            let parts = URLComponents(string: text), parts.user == nil,
            parts.fragment == nil, let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = parts.host?.trimmingCharacters(in: ["[", "]"]), !host.isEmpty
        else { return nil }
        isSecure = scheme == "https"
        self.host = host
        port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        self.path = parts.percentEncodedQuery.map { path + "?" + $0 } ?? path
    }

    /// Value of the `Host` field.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// URL without its query, which may contain secrets that must not be logged.
    package var description: String {
        (isSecure ? "https://" : "http://") + authority + path.prefix { $0 != "?" } + (path.contains("?") ? "?…" : "")
    }

    /// Percent-encodes a path component or a query value, except the unreserved characters (RFC 3986 section 2.3).
    package static func percentEncoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// Returns a target on the same server, with a path below this one's.
    package func appending(_ path: String) -> HTTPTarget {
        var target = self
        let base = self.path.split(separator: "?").first.map(String.init) ?? ""
        target.path = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        return target
    }
}
