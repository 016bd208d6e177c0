import HTTPTypes

/// Origins (RFC 6454) whose pages may call the relay: the value of `http.corsOrigin`.
package struct AllowedOrigins: Sendable, Equatable {
    package static let maximumCount = 64
    private static let maximumBytes = 512

    /// Serialized origins, in the order of the configuration.
    private let names: [String]
    /// Whether the value is `*`: pages of any origin may read answers. It does not open routes that need no token: see `PageGuard`.
    private let isAny: Bool

    /// Creates a list that allows no foreign origin.
    package init() {
        names = []
        isAny = false
    }

    /// - Parameter entries: origins such as `https://app.example`, or `*` alone.
    /// - Returns: nil if an entry is neither, or there are more than `maximumCount`.
    package init?(_ entries: [String]) {
        isAny = entries == ["*"]
        var names: [String] = []
        for entry in isAny ? [] : entries {
            guard let name = Self.serialized(entry) else { return nil }
            if !names.contains(name) { names.append(name) }
        }
        guard names.count <= Self.maximumCount else { return nil }
        self.names = names
    }

    /// Whether the origin is named; `*` names none.
    func names(_ origin: String) -> Bool { Self.serialized(origin).map(names.contains) ?? false }

    /// Hosts of the named origins, without ports and brackets.
    var hosts: [String] { names.compactMap { Self.parts($0)?.host } }

    /// Adds the fields by which a browser lets a page of `origin` read the answer (Fetch standard, section 3.2).
    ///
    /// - Parameters:
    ///   - origin: `Origin` of the request; nil if it has none or could not be read. If exactly one origin is named, nil counts as that
    ///     origin, so that its pages can read the error for a request that was too large to parse.
    /// - Returns: whether pages of that origin can read it.
    @discardableResult
    func addFields(to fields: inout HTTPFields, origin: String?) -> Bool {
        guard isAny || !names.isEmpty else { return false }
        if !isAny { fields[.vary] = "Origin" }
        guard let allowed = isAny ? "*" : allowed(origin) else { return false }
        fields[.accessControlAllowOrigin] = allowed
        fields[.accessControlExposeHeaders] = "Location, ETag, Link, Retry-After, Accept-Patch, Accept-Post"
        return true
    }

    private func allowed(_ origin: String?) -> String? {
        guard let origin else { return names.count == 1 ? names[0] : nil }
        guard names(origin) else { return nil }
        return Self.serialized(origin)
    }

    /// Returns the form in which browsers send an origin (RFC 6454 section 6.2): lower case, no default port. Returns nil if the text is
    /// not an origin. `null` is not one, because every sandboxed iframe sends it.
    private static func serialized(_ text: String) -> String? {
        guard let (scheme, host, port) = parts(text) else { return nil }
        let name = host.contains(":") ? "[\(host)]" : host
        let isDefault = scheme == "http" && port == 80 || scheme == "https" && port == 443
        return "\(scheme)://\(name)" + (isDefault ? "" : port.map { ":\($0)" } ?? "")
    }

    private static func parts(_ text: String) -> (scheme: String, host: String, port: UInt16?)? {
        guard text.utf8.count <= maximumBytes, text.utf8.allSatisfy({ (33...126).contains($0) }) else { return nil }
        let halves = text.lowercased().split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, let first = halves[0].first, first.isLetter,
            halves[0].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        else { return nil }
        var host = halves[1]
        var rest: Substring = ""
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { return nil }
            rest = host[host.index(after: end)...]
            host = host[host.index(after: host.startIndex)..<end]
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            if let colon = host.firstIndex(of: ":") {
                rest = host[colon...]
                host = host[..<colon]
            }
            guard host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }) else { return nil }
        }
        guard !host.isEmpty else { return nil }
        if rest.isEmpty { return (String(halves[0]), String(host), nil) }
        guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
        return (String(halves[0]), String(host), port)
    }
}
