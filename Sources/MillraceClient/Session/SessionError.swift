public import Signaling

/// Error of a session: a code shared with the relay and the protocol, with the details of this occurrence.
public struct SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    public var details: SignalingError

    public var code: ErrorCode { details.code }
    /// Human-readable message.
    public var message: String { details.message }
    public var description: String { details.description }

    public init(_ details: SignalingError) { self.details = details }

    public init(_ code: ErrorCode, _ message: String? = nil, field: String? = nil) {
        details = SignalingError(code, message, field: field)
    }
}
