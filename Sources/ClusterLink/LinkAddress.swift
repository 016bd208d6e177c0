/// Host and port of a relay's listener of links.
package struct LinkAddress: Hashable, Sendable {
    package static let defaultPort = 7_881

    /// A name or a numeric address, without brackets.
    package let host: String
    package let port: Int

    /// - Returns: nil if the text is not of the form `host:port`, or `[address]:port` for IPv6.
    package init?(_ text: String) {
        guard text.utf8.count <= 300, text.utf8.allSatisfy({ (33...126).contains($0) }),
            let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
