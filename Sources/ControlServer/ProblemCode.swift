package import HTTPTypes

/// The stable `code` of an error answer. Clients switch on it; a code never changes its meaning.
package enum ProblemCode: String, Sendable, CaseIterable, Codable {
    // MARK: the request as HTTP
    case malformedRequest
    case headerTooLarge
    case bodyTooLarge
    /// The request did not arrive whole in time.
    case requestTimeout
    case notFound
    case methodNotAllowed
    case unsupportedMediaType
    case unauthorized

    // MARK: what it says
    case invalidJSON
    /// A field has the wrong type or a value out of its range; `field` says which.
    case invalidField
    case invalidSessionName
    case invalidStreamName

    // MARK: what it asks for
    case unknownSession
    case unknownStream
    case unknownTransport
    case unknownRecording
    case streamExists
    case ssrcInUse
    case recordingExists
    case recordingDisabled
    /// The recording directory or its disk failed.
    case recordingFailed
    /// The stream was published without this kind of media.
    case noTrack
    /// No picture came in time.
    case noMedia
    /// `limit` names the configuration key.
    case limitReached
    case addressUnusable
    case draining
    case internalError

    package var status: HTTPResponse.Status {
        switch self {
        case .malformedRequest, .invalidJSON, .invalidSessionName, .invalidStreamName: .badRequest
        case .headerTooLarge: .requestHeaderFieldsTooLarge
        case .bodyTooLarge: .contentTooLarge
        case .requestTimeout: .requestTimeout
        case .notFound, .unknownSession, .unknownStream, .unknownTransport, .unknownRecording, .noTrack:
            .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType: .unsupportedMediaType
        case .unauthorized: .unauthorized
        case .invalidField, .addressUnusable: .unprocessableContent
        case .streamExists, .ssrcInUse, .recordingExists, .recordingDisabled: .conflict
        case .noMedia, .limitReached, .draining: .serviceUnavailable
        case .recordingFailed, .internalError: .internalServerError
        }
    }

    /// A short text for people, the same at every occurrence (RFC 9457 section 3.1.3).
    package var title: String {
        switch self {
        case .malformedRequest: "The request is not valid HTTP"
        case .headerTooLarge: "The request head is too large"
        case .bodyTooLarge: "The request body is too large"
        case .requestTimeout: "The request did not arrive in time"
        case .notFound: "There is nothing at this path"
        case .methodNotAllowed: "This path does not take this method"
        case .unsupportedMediaType: "The body must be application/json"
        case .unauthorized: "A bearer token is needed"
        case .invalidJSON: "The body is not valid JSON"
        case .invalidField: "A field of the body is not valid"
        case .invalidSessionName: "The session name is not valid"
        case .invalidStreamName: "The stream name is not valid"
        case .unknownSession: "There is no such session"
        case .unknownStream: "There is no such stream"
        case .unknownTransport: "There is no such transport"
        case .unknownRecording: "The stream is not being recorded"
        case .streamExists: "The session has a stream of this name"
        case .ssrcInUse: "The SSRC is in use"
        case .recordingExists: "The stream is being recorded already"
        case .recordingDisabled: "The relay has no recording directory"
        case .recordingFailed: "The recording failed"
        case .noTrack: "The stream has no such track"
        case .noMedia: "The stream has no such media now"
        case .limitReached: "A limit is reached"
        case .addressUnusable: "The address cannot be used"
        case .draining: "The relay is shutting down"
        case .internalError: "The relay failed"
        }
    }
}
