/// An error answer to a request.
public struct SignalingError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    public var code: ErrorCode
    /// Description of this occurrence, for people.
    public var message: String
    /// Name of the offending field.
    public var field: String?
    /// Configuration key of the limit that was reached.
    public var limit: String?
    /// Seconds to wait before a retry.
    public var retryAfter: Int?

    public init(
        _ code: ErrorCode, _ message: String? = nil, field: String? = nil, limit: String? = nil, retryAfter: Int? = nil
    ) {
        self.code = code
        self.message = message ?? code.title
        self.field = field
        self.limit = limit
        self.retryAfter = retryAfter
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
