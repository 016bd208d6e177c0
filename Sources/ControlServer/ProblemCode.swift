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
    /// The client takes no answer of the type that there is.
    case notAcceptable
    case unauthorized
    /// The request has to name the ICE session that it is about.
    case preconditionRequired
    /// The request is about an ICE session that is over.
    case preconditionFailed

    // MARK: what it says
    case invalidJSON
    /// A field has the wrong type or a value out of its range; `field` says which.
    case invalidField
    case invalidSDP
    /// A description that can be read, but not agreed to.
    case unusableSDP
    case invalidSessionName
    case invalidStreamName

    // MARK: what it asks for
    case unknownSession
    case unknownStream
    case unknownTransport
    case unknownRecording
    case streamExists
    case ssrcInUse
    /// The transport's ICE session is being restarted already.
    case restartExists
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
        case .malformedRequest, .invalidJSON, .invalidSDP, .invalidSessionName, .invalidStreamName: .badRequest
        case .headerTooLarge: .requestHeaderFieldsTooLarge
        case .bodyTooLarge: .contentTooLarge
        case .requestTimeout: .requestTimeout
        case .notFound, .unknownSession, .unknownStream, .unknownTransport, .unknownRecording, .noTrack:
            .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unsupportedMediaType: .unsupportedMediaType
        case .notAcceptable: .notAcceptable
        case .unauthorized: .unauthorized
        case .preconditionRequired: .preconditionRequired
        case .preconditionFailed: .preconditionFailed
        case .invalidField, .unusableSDP, .addressUnusable: .unprocessableContent
        case .streamExists, .ssrcInUse, .restartExists, .recordingExists, .recordingDisabled: .conflict
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
        case .unsupportedMediaType: "The body has another media type than this path takes"
        case .notAcceptable: "The answer has another media type than the client takes"
        case .unauthorized: "A bearer token is needed"
        case .preconditionRequired: "The request needs an If-Match field"
        case .preconditionFailed: "The request is about an ICE session that is over"
        case .invalidJSON: "The body is not valid JSON"
        case .invalidField: "A field of the body is not valid"
        case .invalidSDP: "The session description is not valid"
        case .unusableSDP: "The session description cannot be agreed to"
        case .invalidSessionName: "The session name is not valid"
        case .invalidStreamName: "The stream name is not valid"
        case .unknownSession: "There is no such session"
        case .unknownStream: "There is no such stream"
        case .unknownTransport: "There is no such transport"
        case .unknownRecording: "The stream is not being recorded"
        case .streamExists: "The session has a stream of this name"
        case .ssrcInUse: "The SSRC is in use"
        case .restartExists: "An ICE restart is under way"
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
