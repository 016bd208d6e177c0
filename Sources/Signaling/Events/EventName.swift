/// Names of events on the wire. Clients ignore unknown names.
public enum EventName: String, Hashable, Sendable, Codable, CaseIterable {
    case userJoined
    case userChanged
    case userLeft
    case usersChanged
    case userDropped
    case hostChanged
    case streamCreated
    case streamChanged
    case streamDestroyed
    case recordingStarted
    case recordingStopped
    case liveStarted
    case liveFailed
    case liveStopped
    case offer
    case subscriptionChanged
    case signal
    case muteForced
    case unmuteRequested
    case shareLockChanged
    case activeSpeaker
    case subsessionsChanged
    case subsessionRoleChanged
    case subsessionUsersChanged
    case broadcast
    case helpRequested
    case helpEnded
    case helpResult
    case chat
    case chatAllowedChanged
    case messageReceived
    case notification
    case conversationsChanged
    case totalUnreadChanged
    case groupChanged
    case groupDismissed
    case draining
    case disconnected
    case mediaReset
}

extension Event {
    public var name: EventName {
        switch self {
        case .userJoined: .userJoined
        case .userChanged: .userChanged
        case .userLeft: .userLeft
        case .usersChanged: .usersChanged
        case .userDropped: .userDropped
        case .hostChanged: .hostChanged
        case .streamCreated: .streamCreated
        case .streamChanged: .streamChanged
        case .streamDestroyed: .streamDestroyed
        case .recordingStarted: .recordingStarted
        case .recordingStopped: .recordingStopped
        case .liveStarted: .liveStarted
        case .liveFailed: .liveFailed
        case .liveStopped: .liveStopped
        case .offer: .offer
        case .subscriptionChanged: .subscriptionChanged
        case .signal: .signal
        case .muteForced: .muteForced
        case .unmuteRequested: .unmuteRequested
        case .shareLockChanged: .shareLockChanged
        case .activeSpeaker: .activeSpeaker
        case .subsessionsChanged: .subsessionsChanged
        case .subsessionRoleChanged: .subsessionRoleChanged
        case .subsessionUsersChanged: .subsessionUsersChanged
        case .broadcast: .broadcast
        case .helpRequested: .helpRequested
        case .helpEnded: .helpEnded
        case .helpResult: .helpResult
        case .chat: .chat
        case .chatAllowedChanged: .chatAllowedChanged
        case .messaging(let event): event.name
        case .draining: .draining
        case .disconnected: .disconnected
        case .mediaReset: .mediaReset
        }
    }
}
