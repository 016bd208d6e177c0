import Foundation
import Signaling

/// Name of a stream within its session: like a `SessionName`, but case-sensitive.
package struct StreamName: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package var description: String { rawValue }

    package init(_ text: String) throws(Problem) {
        if let reason = NameRule.objection(to: text) { throw Problem(.invalidStreamName, reason) }
        rawValue = text
    }

    /// - Parameter percentEncoded: one path component (RFC 3986 section 2.1).
    package init(percentEncoded: String) throws(Problem) {
        guard let text = percentEncoded.removingPercentEncoding else {
            throw Problem(.invalidStreamName, "the name is not percent-encoded UTF-8")
        }
        try self.init(text)
    }

    /// Returns a name as one path component (RFC 3986 section 3.3).
    static func percentEncoded(_ name: String) -> String {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove("/")
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}
