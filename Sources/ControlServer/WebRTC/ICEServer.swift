/// STUN or TURN server for clients (RFC 9725 section 4.6). The relay itself uses none.
package struct ICEServer: Sendable, Hashable {
    package let url: String
    /// Empty if the server needs none, as STUN servers do not.
    package let username: String
    package let credential: String

    private static let schemes: Set<String> = ["stun", "stuns", "turn", "turns"]

    /// Returns nil if `url` does not follow RFC 7064 or RFC 7065.
    package init?(url: String, username: String, credential: String) {
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Self.schemes.contains(String(parts[0])), !parts[1].isEmpty, url.utf8.count <= 512,
            url.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        let isTURN = parts[0].hasPrefix("turn")
        self.url = url
        self.username = isTURN ? username : ""
        self.credential = isTURN ? credential : ""
    }

    /// Value of a `Link` header field (RFC 8288).
    var link: String {
        var text = "<\(url)>; rel=\"ice-server\""
        if !username.isEmpty {
            text += "; username=\"\(username)\"; credential=\"\(credential)\"; credential-type=\"password\""
        }
        return text
    }

    /// Returns whether the byte may occur in a host, a port or a `transport` query.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "?"), UInt8(ascii: "="),
            UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
