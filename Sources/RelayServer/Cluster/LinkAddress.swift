/// Host and port of a relay's listener of links.
struct LinkAddress: Hashable, Sendable {
    static let defaultPort = 7_881

    /// A name or a numeric address, without brackets.
    let host: String
    let port: Int

    /// - Returns: nil if the text is not of the form `host:port`, or `[address]:port` for IPv6.
    init?(_ text: String) {
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

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
