package import Foundation

/// Members of an error answer (RFC 9457) of a relay.
package struct ProblemDetails: Decodable, Sendable {
    /// Error code, which only relays send.
    package var code: String
    package var title: String?
    package var detail: String?

    /// Nil if `body` has no error code: the server is not a relay.
    package init?(_ body: Data) {
        guard let problem = try? JSONDecoder().decode(Self.self, from: body) else { return nil }
        self = problem
    }
}
