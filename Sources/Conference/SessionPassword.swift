import Signaling

/// The rule of session passwords (SES-4).
enum SessionPassword {
    static let maximumCharacters = 10

    /// - Returns: nil if the password is nil or empty.
    static func checked(_ text: String?) throws(SignalingError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= maximumCharacters, text.utf8.allSatisfy({ (32...126).contains($0) }) else {
            throw SignalingError(
                .passwordInvalid, "a password is at most \(maximumCharacters) printable ASCII characters",
                field: "password")
        }
        return text
    }

    /// Compares in constant time, so that the time does not reveal the position of the first difference.
    static func matches(_ a: String, _ b: String) -> Bool {
        let a = Array(a.utf8)
        let b = Array(b.utf8)
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
