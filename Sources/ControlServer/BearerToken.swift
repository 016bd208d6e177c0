/// Token that requests must carry (RFC 6750 section 2.1).
struct BearerToken: Sendable {
    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the reason for which a request with this `Authorization` field is refused; nil if it is allowed.
    func objection(to field: String?) -> Problem? {
        guard let field else { return Problem(.unauthorized, "the request has no Authorization header field") }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", isToken(Array(parts[1].utf8)) else {
            return Problem(.unauthorized, "the token is wrong")
        }
        return nil
    }

    /// Compares the token in a time that does not depend on the position of the first difference.
    private func isToken(_ given: [UInt8]) -> Bool {
        var difference: UInt8 = given.count == bytes.count ? 0 : 1
        for (i, byte) in given.enumerated() { difference |= byte ^ bytes[i % bytes.count] }
        return difference == 0
    }
}
