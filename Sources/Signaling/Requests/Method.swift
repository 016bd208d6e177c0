/// What a client can ask for.
public enum Method: String, Hashable, Sendable, Codable, CaseIterable {
    case join
    case resume
    case leave
    case publish
    case unpublish
    case updateStream
    case subscribe
    case updateSubscription
    case unsubscribe
    case answer
    case restartICE
    case signal
    case rename
    case muteUser
    case requestUnmute
    case setMuted
    case forceMuteStream
    case forceMuteAll
    case disableForceMute
    case makeHost
    case setManager
    case removeUser
    case lockShare
    case statistics
    case reportIssue
    case ping
}
