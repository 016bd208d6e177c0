public import Signaling

/// Why something could not be done: the same codes as the relay and the protocol have, with what the relay said of this occurrence.
public struct SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    public var details: SignalingError

    public var code: ErrorCode { details.code }
    /// For people.
    public var message: String { details.message }
    public var description: String { details.description }

    public init(_ details: SignalingError) { self.details = details }

    public init(_ code: ErrorCode, _ message: String? = nil, field: String? = nil) {
        details = SignalingError(code, message, field: field)
    }
}
