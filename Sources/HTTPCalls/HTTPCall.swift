/// Request to another server.
package struct HTTPCall: Sendable {
    package var method: String
    package var target: HTTPTarget
    package var fields: [(String, String)]
    package var body: [UInt8]

    package init(method: String, target: HTTPTarget, fields: [(String, String)] = [], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }
}

/// Complete response to a call.
package struct HTTPCallAnswer: Sendable {
    package var status: Int
    /// Header fields, with names in lower case. If a field is repeated, the last value counts.
    package var fields: [String: String]
    package var body: [UInt8]
}

/// Reason for which a call failed.
package enum HTTPCallError: Error, Sendable, CustomStringConvertible {
    case connect(HTTPTarget, reason: String)
    case timeout(HTTPTarget)
    /// The connection closed early, or the server did not speak HTTP.
    case broken(HTTPTarget, reason: String)
    case tooLarge(HTTPTarget, limit: Int)
    case authorities(path: String, reason: String)

    package var description: String {
        switch self {
        case .connect(let target, let reason): "cannot connect to \(target): \(reason)"
        case .timeout(let target): "\(target) did not answer in time"
        case .broken(let target, let reason): "the connection to \(target) broke: \(reason)"
        case .tooLarge(let target, let limit): "the answer of \(target) has more than \(limit) bytes"
        case .authorities(let path, let reason): "cannot read certificates from \(path): \(reason)"
        }
    }
}
