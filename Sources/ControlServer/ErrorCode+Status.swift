package import HTTPTypes
package import Signaling

extension ErrorCode {
    /// HTTP status of an answer with this code. Codes that HTTP never returns have one too, so that the switch covers every code.
    package var status: HTTPResponse.Status {
        switch self {
        case .malformedRequest, .malformedMessage, .unsupportedVersion, .unknownMethod, .invalidJSON, .invalidSDP,
            .invalidSessionName, .invalidStreamName:
            .badRequest
        case .unauthorized, .tokenMissing, .tokenMalformed, .tokenExpired, .tokenNotYetValid, .tokenBadSignature,
            .tokenAlgorithm, .tokenUnknownApp:
            .unauthorized
        case .notPermitted, .tokenTopicMismatch, .tokenRevoked, .passwordNeeded, .passwordWrong, .shareLocked,
            .chatDisabled, .encryptionRequired, .identityMissing, .insecureConnection:
            .forbidden
        case .notFound, .unknownSession, .unknownUser, .unknownStream, .unknownTransport, .unknownRecording,
            .unknownLive, .unknownIssue, .unknownSubsession, .unknownConversation, .unknownGroup, .unknownHelpRequest,
            .noTrack:
            .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .notAcceptable: .notAcceptable
        case .requestTimeout: .requestTimeout
        case .notJoined, .notLoggedIn, .messagingDisabled, .groupFull, .alreadyJoined, .staleOffer, .notSubscribed,
            .alreadySubscribed, .streamExists, .ssrcInUse,
            .restartExists, .recordingExists, .recordingDisabled, .subsessionsState, .notInSubsession,
            .streamEncrypted, .codecMismatch, .codecNotDecodable:
            .conflict
        case .sessionEnded, .resumeExpired, .resumeGap: .gone
        case .preconditionFailed: .preconditionFailed
        case .bodyTooLarge, .messageTooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .invalidField, .unusableSDP, .addressUnusable, .invalidSignalType, .signalDataTooLong, .passwordInvalid,
            .textTooLong:
            .unprocessableContent
        case .preconditionRequired: .preconditionRequired
        case .rateLimited: .tooManyRequests
        case .headerTooLarge: .requestHeaderFieldsTooLarge
        case .noMedia, .limitReached, .draining, .unavailable: .serviceUnavailable
        case .misdirected: .misdirectedRequest
        case .recordingFailed, .storageFailed, .internalError: .internalServerError
        case .notConnected, .connectFailed, .mediaFailed: .badGateway
        }
    }
}
