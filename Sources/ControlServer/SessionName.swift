import Conference
import Foundation
import Signaling

/// Name of a session (SES-2): 1 to 150 characters out of letters, digits, symbols and spaces, held in lower case.
package struct SessionName: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package var description: String { rawValue }

    /// - Parameter text: the name as people write it.
    package init(_ text: String) throws(Problem) {
        // Some letters are longer in lower case than in upper.
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

    /// As one path component (RFC 3986 section 3.3).
    var percentEncoded: String { StreamName.percentEncoded(rawValue) }
}

extension SessionName {
    /// The session of that name in an app.
    func key(app: String) throws(Problem) -> SessionKey {
        do throws(SignalingError) {
            return try SessionKey(app: app, name: rawValue)
        } catch {
            throw Problem(error)
        }
    }
}
