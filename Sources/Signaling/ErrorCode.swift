/// All errors of the relay, with the same names over WebSocket, over HTTP (`code` of a problem document) and in the
/// Swift client. The meaning of a code never changes. Clients treat unknown codes as `internalError`.
public enum ErrorCode: String, Hashable, Sendable, Codable, CaseIterable {
    // MARK: HTTP requests
    case malformedRequest
    case headerTooLarge
    case bodyTooLarge
    /// The request was not received completely in time.
    case requestTimeout
    case notFound
    case methodNotAllowed
    case unsupportedMediaType
    /// The client accepts no media type that the relay can answer with.
    case notAcceptable
    case unauthorized
    /// The request must name its ICE session.
    case preconditionRequired
    /// The ICE session of the request has ended.
    case preconditionFailed

    // MARK: messages
    /// The message is not a JSON object with an id, a method and parameters.
    case malformedMessage
    case messageTooLarge
    case unsupportedVersion
    case unknownMethod
    /// Too many messages, signals or attempts; `retryAfter` is the number of seconds to wait.
    case rateLimited
    case notJoined
    case alreadyJoined

    // MARK: tokens
    case tokenMissing
    case tokenMalformed
    case tokenExpired
    case tokenNotYetValid
    case tokenBadSignature
    /// The signature algorithm is not configured, such as `none`.
    case tokenAlgorithm
    case tokenUnknownApp
    /// The token is for another session.
    case tokenTopicMismatch
    /// The token's user was removed from the session.
    case tokenRevoked

    // MARK: parameters
    case invalidJSON
    /// A field has the wrong type or an invalid value; `field` names it.
    case invalidField
    case invalidSDP
    /// The session description is valid but cannot be accepted.
    case unusableSDP
    /// The answer is for an offer that a newer offer has replaced.
    case staleOffer
    case invalidSessionName
    case invalidStreamName
    case invalidSignalType
    case signalDataTooLong
    /// The text of a chat message, broadcast or message is too long.
    case textTooLong

    // MARK: sessions
    case passwordNeeded
    case passwordWrong
    /// The password is longer than 10 characters or not printable ASCII.
    case passwordInvalid
    case sessionEnded
    case notPermitted
    /// Media keys were requested over a connection that is neither TLS nor within one host.
    case insecureConnection
    /// The share lock is active.
    case shareLocked
    /// The resume token is unknown or its grace time has ended; the client must join again.
    case resumeExpired
    /// The relay no longer has all events that the client missed; the client must join again.
    case resumeGap
    /// The state of the subsessions does not allow the request: there is no list, they have started, or they have not.
    case subsessionsState
    /// The request is only allowed in a subsession.
    case notInSubsession
    /// The host disabled the chat.
    case chatDisabled
    /// Every stream of the session must be encrypted end to end.
    case encryptionRequired
    /// Its frames are encrypted end to end: the relay cannot decode them.
    case streamEncrypted
    /// The subscriber takes no packets of the stream's video codec.
    case codecMismatch
    /// The relay cannot decode the format of the stream's video.
    case codecNotDecodable
    /// The token has no `user_identity`, which conversations require.
    case identityMissing
    /// Conversations require `login`, or `join` with an identity.
    case notLoggedIn
    /// The relay has no storage directory.
    case messagingDisabled
    /// A group has at most 500 members.
    case groupFull
    /// The relay's storage failed, such as on a full disk. Nothing was changed.
    case storageFailed

    // MARK: objects of requests
    case unknownSession
    case unknownUser
    case unknownStream
    case unknownSubsession
    /// The conversation has no messages yet, or never belonged to this user.
    case unknownConversation
    /// The group does not exist, or the user is not a member.
    case unknownGroup
    /// The help request has ended or never existed.
    case unknownHelpRequest
    case unknownTransport
    case unknownRecording
    case unknownLive
    case unknownIssue
    case notSubscribed
    case alreadySubscribed
    case streamExists
    case ssrcInUse
    /// An ICE restart of the transport is already in progress.
    case restartExists
    case recordingExists
    case recordingDisabled
    /// The recording directory or its disk failed.
    case recordingFailed
    /// The stream has no media of this kind.
    case noTrack
    /// No video frame arrived in time.
    case noMedia
    /// A limit is reached; `limit` names its configuration key.
    case limitReached
    case addressUnusable
    case draining
    /// The relay that runs the session cannot be reached or named now (clusters only).
    case unavailable
    /// Another relay of the cluster runs the session.
    case misdirected
    case internalError

    // MARK: errors of the client itself
    /// There is no connection, or it was lost permanently.
    case notConnected
    /// The relay could not be reached in time.
    case connectFailed
    /// The client's local media failed.
    case mediaFailed

    /// Short text for people, always the same for one code (RFC 9457 section 3.1.3).
    public var title: String {
        switch self {
        case .malformedRequest: "The request is not valid HTTP"
        case .headerTooLarge: "The request head is too large"
        case .bodyTooLarge: "The request body is too large"
        case .requestTimeout: "The request did not arrive in time"
        case .notFound: "There is nothing at this path"
        case .methodNotAllowed: "This path does not support this method"
        case .unsupportedMediaType: "This path does not support the media type of the body"
        case .notAcceptable: "The client does not accept the answer's media type"
        case .unauthorized: "A bearer token is needed"
        case .preconditionRequired: "The request needs an If-Match field"
        case .preconditionFailed: "The ICE session of the request has ended"
        case .malformedMessage: "The message is not a request"
        case .messageTooLarge: "The message is too large"
        case .unsupportedVersion: "The relay does not support this version of the protocol"
        case .unknownMethod: "There is no such method"
        case .rateLimited: "Too many requests in too short a time"
        case .notJoined: "The connection has not joined a session"
        case .alreadyJoined: "The connection has already joined a session"
        case .tokenMissing: "A token is needed"
        case .tokenMalformed: "The token cannot be read"
        case .tokenExpired: "The token has expired"
        case .tokenNotYetValid: "The token is not valid yet"
        case .tokenBadSignature: "The token's signature is wrong"
        case .tokenAlgorithm: "The token's signature algorithm is not allowed"
        case .tokenUnknownApp: "The token's app is unknown"
        case .tokenTopicMismatch: "The token is for another session"
        case .tokenRevoked: "The token's user was removed from this session"
        case .invalidJSON: "The body is not valid JSON"
        case .invalidField: "A field is not valid"
        case .invalidSDP: "The session description is not valid"
        case .unusableSDP: "The session description cannot be accepted"
        case .staleOffer: "The answer is for an older offer"
        case .invalidSessionName: "The session name is not valid"
        case .invalidStreamName: "The stream name is not valid"
        case .invalidSignalType: "The signal type is not valid"
        case .signalDataTooLong: "The signal's data is too long"
        case .textTooLong: "The text is too long"
        case .passwordNeeded: "The session has a password"
        case .passwordWrong: "The password is wrong"
        case .passwordInvalid: "The password is not valid"
        case .sessionEnded: "The session has ended"
        case .notPermitted: "Not permitted"
        case .insecureConnection: "The connection is not encrypted"
        case .shareLocked: "Sharing is locked"
        case .resumeExpired: "The connection cannot be resumed"
        case .resumeGap: "Too many events were missed"
        case .subsessionsState: "The subsessions are not in the state for it"
        case .notInSubsession: "The connection is in no subsession"
        case .chatDisabled: "Chat is disabled"
        case .encryptionRequired: "The session requires end-to-end encryption"
        case .streamEncrypted: "The stream is encrypted end to end"
        case .codecMismatch: "The subscriber does not take the stream's codec"
        case .codecNotDecodable: "The relay cannot decode the format of the stream's video"
        case .identityMissing: "The token names no user"
        case .notLoggedIn: "The connection has not logged in"
        case .messagingDisabled: "The relay does not store conversations"
        case .groupFull: "The group is full"
        case .storageFailed: "The relay's storage failed"
        case .unknownSession: "There is no such session"
        case .unknownUser: "There is no such user"
        case .unknownStream: "There is no such stream"
        case .unknownSubsession: "There is no such subsession"
        case .unknownConversation: "There is no such conversation"
        case .unknownGroup: "There is no such group"
        case .unknownHelpRequest: "There is no such help request"
        case .unknownTransport: "There is no such transport"
        case .unknownRecording: "The stream is not being recorded"
        case .unknownLive: "There is no such live stream"
        case .unknownIssue: "There is no such report"
        case .notSubscribed: "The stream is not subscribed to"
        case .alreadySubscribed: "The stream is already subscribed to"
        case .streamExists: "The stream already exists"
        case .ssrcInUse: "The SSRC is in use"
        case .restartExists: "An ICE restart is already in progress"
        case .recordingExists: "The stream is already being recorded"
        case .recordingDisabled: "The relay has no recording directory"
        case .recordingFailed: "The recording failed"
        case .noTrack: "The stream has no such track"
        case .noMedia: "The stream has no such media at the moment"
        case .limitReached: "A limit is reached"
        case .addressUnusable: "The address cannot be used"
        case .draining: "The relay is shutting down"
        case .unavailable: "The session cannot be reached at the moment"
        case .misdirected: "Another relay runs the session"
        case .internalError: "The relay had an internal error"
        case .notConnected: "There is no connection"
        case .connectFailed: "The relay could not be reached"
        case .mediaFailed: "The client's media failed"
        }
    }
}
