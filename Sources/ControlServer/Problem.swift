import Foundation
package import HTTPTypes
import NIOCore
package import Signaling

/// Error answer: the members of an `application/problem+json` document (RFC 9457 section 3) and the header fields that go with it.
package struct Problem: Error, Sendable, Equatable {
    package var code: ErrorCode
    /// Description of this occurrence, for people.
    package var detail: String
    /// Path of the offending field in the body, such as `audio.port`.
    package var field: String?
    /// Configuration key of the limit that was reached.
    package var limit: String?
    /// Seconds after which a retry makes sense.
    package var retryAfter: Int?
    /// Methods that the path accepts, for 405.
    package var allow: String?
    /// Media type that the path accepts, for 415.
    package var accepts: Accepts?

    /// Authentication scheme that the client must use, for 401.
    package var scheme = Scheme.bearer

    package enum Scheme: String, Sendable {
        case bearer = "Bearer"
        case basic = "Basic"
    }

    /// Media type of a body, and the method that accepts it.
    package enum Accepts: Sendable, Equatable {
        case post(String)
        case patch(String)
    }

    package init(
        _ code: ErrorCode, _ detail: String, field: String? = nil, limit: String? = nil, retryAfter: Int? = nil,
        accepts: Accepts? = nil, scheme: Scheme = .bearer
    ) {
        self.code = code
        self.detail = detail
        self.field = field
        self.limit = limit
        self.retryAfter = retryAfter
        self.accepts = accepts
        self.scheme = scheme
    }

    /// Document as it is sent. `type` is left out, which means `about:blank` (RFC 9457 section 3.1.1); `code` is more specific.
    private struct Document: Encodable {
        let title: String
        let status: Int
        let detail: String
        let code: String
        let field: String?
        let limit: String?
    }

    package var body: [UInt8] {
        let document = Document(
            title: code.title, status: code.status.code, detail: detail, code: code.rawValue, field: field, limit: limit
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and integers always encode.
        guard let data = try? encoder.encode(document) else { return Array("{}".utf8) }
        return Array(data)
    }

    package var fields: HTTPFields {
        var fields: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
        if let retryAfter { fields[.retryAfter] = String(retryAfter) }
        if let allow { fields[.allow] = allow }
        switch accepts {
        case .post(let type): fields[.acceptPost] = type
        case .patch(let type): fields[.acceptPatch] = type
        case nil: break
        }
        if code.status == .unauthorized { fields[.wwwAuthenticate] = "\(scheme.rawValue) realm=\"millrace\"" }
        return fields
    }
}
