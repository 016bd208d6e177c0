import Foundation

/// An http: or https: URL, taken apart for a call.
package struct HTTPTarget: Sendable, Hashable, CustomStringConvertible {
    package var isSecure: Bool
    /// A name or a numeric address, without brackets.
    package var host: String
    package var port: Int
    /// Path and query as they stand in the request line.
    package var path: String

    /// - Returns: nil where `text` is no http: or https: URL in visible ASCII with a host, or carries a user name or a fragment.
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

    /// What the `Host` field says.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Without the query: it may hold what is not for logs.
    package var description: String {
        (isSecure ? "https://" : "http://") + authority + path.prefix { $0 != "?" } + (path.contains("?") ? "?…" : "")
    }

    /// Another path of the same server, below the path of this one.
    package func appending(_ path: String) -> HTTPTarget {
        var target = self
        let base = self.path.split(separator: "?").first.map(String.init) ?? ""
        target.path = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        return target
    }
}
