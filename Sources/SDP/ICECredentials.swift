/// User name fragment and password of one side, for connectivity checks (RFC 8839 section 5.4).
package struct ICECredentials: Hashable, Sendable, Codable {
    /// 4 to 256 characters of letters, digits, `+` and `/`.
    package var ufrag: String
    /// 22 to 256 characters of the same alphabet.
    package var password: String

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Nil if a length or a character is not allowed.
    package init?(ufrag: String, password: String) {
        guard (4...256).contains(ufrag.utf8.count), (22...256).contains(password.utf8.count),
            ufrag.utf8.allSatisfy(Self.alphabet.contains), password.utf8.allSatisfy(Self.alphabet.contains)
        else { return nil }
        self.ufrag = ufrag
        self.password = password
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let made = ICECredentials(
            ufrag: try container.decode(String.self, forKey: .ufrag),
            password: try container.decode(String.self, forKey: .password))
        guard let made else {
            throw DecodingError.dataCorruptedError(
                forKey: .ufrag, in: container, debugDescription: "a length or a character is not allowed")
        }
        self = made
    }

    /// Returns random credentials: 48 bits of fragment, so that fragments of one worker do not collide, and 144 bits of password
    /// (RFC 8445 section 5.3 requires 128).
    package static func random(using generator: inout some RandomNumberGenerator) -> ICECredentials {
        func text(_ length: Int) -> String {
            String(
                decoding: (0..<length).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] }, as: UTF8.self)
        }
        return ICECredentials(unchecked: text(8), text(24))
    }

    private init(unchecked ufrag: String, _ password: String) {
        self.ufrag = ufrag
        self.password = password
    }
}
