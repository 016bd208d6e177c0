import Conference
import Foundation
import Signaling

/// Name of a session (SES-2): 1 to 150 letters, digits, symbols and spaces, stored in lower case.
package struct SessionName: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package var description: String { rawValue }

    /// - Parameter text: name as a user writes it.
    package init(_ text: String) throws(Problem) {
        // Some letters take more characters in lower case than in upper case, so both forms are checked.
        let lowered = text.lowercased()
        if let reason = NameRule.objection(to: text) ?? NameRule.objection(to: lowered) {
            throw Problem(.invalidSessionName, reason)
        }
        rawValue = lowered
    }

    /// - Parameter percentEncoded: one path component (RFC 3986 section 2.1).
    package init(percentEncoded: String) throws(Problem) {
        guard let text = percentEncoded.removingPercentEncoding else {
            throw Problem(.invalidSessionName, "the name is not percent-encoded UTF-8")
        }
        try self.init(text)
    }

    /// Name as one path component (RFC 3986 section 3.3).
    var percentEncoded: String { StreamName.percentEncoded(rawValue) }
}

extension SessionName {
    /// Returns the key of the session of that name in an app.
    func key(app: String) throws(Problem) -> SessionKey {
        do throws(SignalingError) {
            return try SessionKey(app: app, name: rawValue)
        } catch {
            throw Problem(error)
        }
    }
}
