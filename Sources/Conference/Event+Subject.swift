import Signaling

extension Event {
    /// Participants that a client must know before it gets the event.
    var subject: EventSubject {
        switch self {
        case .userChanged(let body): .user(body.user.id)
        case .userDropped(let body): .user(body.user)
        case .streamCreated(let body): .user(body.stream.connection)
        case .streamChanged(let body): .user(body.stream.connection)
        case .signal(let body): body.from.map { .user($0) } ?? .none
        case .unmuteRequested(let body): .user(body.from)
        case .broadcast(let body): .user(body.from)
        case .helpRequested(let body): .user(body.user)
        case .chat(let body): .user(body.from)
        case .hostChanged, .subsessionUsersChanged, .subsessionsChanged: .users
        // Joins and leaves themselves, events about their receiver, and events about a stream that the receiver knows.
        case .userJoined, .userLeft, .usersChanged, .streamDestroyed, .offer, .subscriptionChanged, .muteForced,
            .shareLockChanged, .activeSpeaker, .subsessionRoleChanged, .helpEnded, .helpResult, .chatAllowedChanged,
            .messaging, .draining, .disconnected, .mediaReset, .recordingStarted,
            .recordingStopped, .liveStarted, .liveFailed, .liveStopped:
            .none
        }
    }
}
