/// A token that requests have to show (RFC 6750 section 2.1).
struct BearerToken: Sendable {
    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Why a request with this `Authorization` field is not let in; nil where it is.
    func objection(to field: String?) -> Problem? {
        guard let field else { return Problem(.unauthorized, "the request has no Authorization header field") }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", isToken(Array(parts[1].utf8)) else {
            return Problem(.unauthorized, "the token is not the right one")
        }
        return nil
    }

    /// Takes the same time wherever the first difference is.
    private func isToken(_ given: [UInt8]) -> Bool {
        var difference: UInt8 = given.count == bytes.count ? 0 : 1
        for (i, byte) in given.enumerated() { difference |= byte ^ bytes[i % bytes.count] }
        return difference == 0
    }
}
