/// Every error that the relay names, the same over WebSocket, over HTTP (`code` of a problem document) and in the Swift client.
/// A code never changes its meaning. Clients take codes that they do not know for `internalError`.
public enum ErrorCode: String, Hashable, Sendable, Codable, CaseIterable {
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

    // MARK: the request as a message
    /// Not a JSON object with an id, a method and parameters.
    case malformedMessage
    case messageTooLarge
    case unsupportedVersion
    case unknownMethod
    /// More messages, signals or attempts than allowed in the time; `retryAfter` says when to go on.
    case rateLimited
    case notJoined
    case alreadyJoined

    // MARK: tokens
    case tokenMissing
    case tokenMalformed
    case tokenExpired
    case tokenNotYetValid
    case tokenBadSignature
    /// Signed with an algorithm that is not configured, `none` above all.
    case tokenAlgorithm
    case tokenUnknownApp
    /// The token is for another session.
    case tokenTopicMismatch
    /// Its user was removed from the session.
    case tokenRevoked

    // MARK: what a request says
    case invalidJSON
    /// A field has the wrong type or a value out of its range; `field` says which.
    case invalidField
    case invalidSDP
    /// A description that can be read, but not agreed to.
    case unusableSDP
    /// The answer is to an offer that another one has followed.
    case staleOffer
    case invalidSessionName
    case invalidStreamName
    case invalidSignalType
    case signalDataTooLong
    /// Of chat, broadcasts and messages.
    case textTooLong

    // MARK: sessions
    case passwordNeeded
    case passwordWrong
    /// Longer than 10 characters, or not printable ASCII.
    case passwordInvalid
    case sessionEnded
    case notPermitted
    /// Keys go over TLS, or within one host, alone.
    case insecureConnection
    /// The share lock is on.
    case shareLocked
    /// The resume token is unknown or its grace time is over: join anew.
    case resumeExpired
    /// More events were missed than the relay keeps: join anew.
    case resumeGap
    /// The session's subsessions are not in the state for it: there is no list, it has started, or it has not.
    case subsessionsState
    /// It can be asked from within a subsession alone.
    case notInSubsession
    /// The host switched the chat off.
    case chatDisabled
    /// Every stream of the session must be encrypted end to end.
    case encryptionRequired
    /// Its frames are encrypted end to end: the relay cannot decode them.
    case streamEncrypted
    /// Conversations belong to a user: the token has to name it by `user_identity`.
    case identityMissing
    /// `login`, or `join` with an identity, opens conversations.
    case notLoggedIn
    /// The relay has no storage directory.
    case messagingDisabled
    /// A group has at most 500 members.
    case groupFull
    /// The relay could not store it: its disk is full, or failed. Nothing was changed.
    case storageFailed

    // MARK: what a request asks for
    case unknownSession
    case unknownUser
    case unknownStream
    case unknownSubsession
    /// Nobody has written in it yet, or it was never this user's.
    case unknownConversation
    /// There is no such group, or one is not a member of it.
    case unknownGroup
    /// It has its result already, or never was.
    case unknownHelpRequest
    case unknownTransport
    case unknownRecording
    case unknownIssue
    case notSubscribed
    case alreadySubscribed
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

    // MARK: seen by clients alone
    /// There is no connection, or it was lost for good.
    case notConnected
    /// The relay could not be reached, or not in time.
    case connectFailed
    /// The client's own media failed.
    case mediaFailed

    /// A short text for people, the same at every occurrence (RFC 9457 section 3.1.3).
    public var title: String {
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
        case .malformedMessage: "The message is not a request"
        case .messageTooLarge: "The message is too large"
        case .unsupportedVersion: "The relay does not speak this version of the protocol"
        case .unknownMethod: "There is no such method"
        case .rateLimited: "Too many requests in too short a time"
        case .notJoined: "The connection has not joined a session"
        case .alreadyJoined: "The connection has joined a session"
        case .tokenMissing: "A token is needed"
        case .tokenMalformed: "The token cannot be read"
        case .tokenExpired: "The token has expired"
        case .tokenNotYetValid: "The token is not valid yet"
        case .tokenBadSignature: "The token's signature is wrong"
        case .tokenAlgorithm: "The token is signed in a way that is not allowed"
        case .tokenUnknownApp: "The token is of an unknown app"
        case .tokenTopicMismatch: "The token is for another session"
        case .tokenRevoked: "The token's user was removed from this session"
        case .invalidJSON: "The body is not valid JSON"
        case .invalidField: "A field is not valid"
        case .invalidSDP: "The session description is not valid"
        case .unusableSDP: "The session description cannot be agreed to"
        case .staleOffer: "The answer is to an older offer"
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
        case .resumeExpired: "The connection cannot be taken up again"
        case .resumeGap: "Too many events were missed"
        case .subsessionsState: "The subsessions are not in the state for it"
        case .notInSubsession: "The connection is in no subsession"
        case .chatDisabled: "The chat is switched off"
        case .encryptionRequired: "The session requires end-to-end encryption"
        case .streamEncrypted: "The stream is encrypted end to end"
        case .identityMissing: "The token names no user"
        case .notLoggedIn: "The connection has not logged in"
        case .messagingDisabled: "The relay keeps no conversations"
        case .groupFull: "The group is full"
        case .storageFailed: "The relay could not store it"
        case .unknownSession: "There is no such session"
        case .unknownUser: "There is no such user"
        case .unknownStream: "There is no such stream"
        case .unknownSubsession: "There is no such subsession"
        case .unknownConversation: "There is no such conversation"
        case .unknownGroup: "There is no such group"
        case .unknownHelpRequest: "There is no such request for help"
        case .unknownTransport: "There is no such transport"
        case .unknownRecording: "The stream is not being recorded"
        case .unknownIssue: "There is no such report"
        case .notSubscribed: "The stream is not subscribed to"
        case .alreadySubscribed: "The stream is subscribed to already"
        case .streamExists: "There is such a stream already"
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
        case .notConnected: "There is no connection"
        case .connectFailed: "The relay could not be reached"
        case .mediaFailed: "The client's media failed"
        }
    }
}
