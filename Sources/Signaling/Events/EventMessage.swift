/// An event on the wire: `{"seq": 42, "event": "streamCreated", "data": {…}}`.
public struct EventMessage: Hashable, Sendable, Codable {
    /// Number of the event, counted from 1. 0 for events without a number: events about conversations, and events to a
    /// connection in no session.
    public var seq: UInt64
    public var event: Event

    public init(seq: UInt64, _ event: Event) {
        self.seq = seq
        self.event = event
    }

    private enum CodingKeys: String, CodingKey {
        case seq
        case event
        case data
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        seq = try container.decode(UInt64.self, forKey: .seq)
        func data<Body: Decodable>() throws -> Body { try container.decode(Body.self, forKey: .data) }
        let name = try container.decode(EventName.self, forKey: .event)
        switch name {
        case .userJoined: event = .userJoined(try data())
        case .userChanged: event = .userChanged(try data())
        case .userLeft: event = .userLeft(try data())
        case .usersChanged: event = .usersChanged(try data())
        case .userDropped: event = .userDropped(try data())
        case .hostChanged: event = .hostChanged(try data())
        case .streamCreated: event = .streamCreated(try data())
        case .streamChanged: event = .streamChanged(try data())
        case .streamDestroyed: event = .streamDestroyed(try data())
        case .recordingStarted: event = .recordingStarted(try data())
        case .recordingStopped: event = .recordingStopped(try data())
        case .liveStarted: event = .liveStarted(try data())
        case .liveFailed: event = .liveFailed(try data())
        case .liveStopped: event = .liveStopped(try data())
        case .offer: event = .offer(try data())
        case .subscriptionChanged: event = .subscriptionChanged(try data())
        case .signal: event = .signal(try data())
        case .muteForced: event = .muteForced(try data())
        case .unmuteRequested: event = .unmuteRequested(try data())
        case .shareLockChanged: event = .shareLockChanged(try data())
        case .activeSpeaker: event = .activeSpeaker(try data())
        case .subsessionsChanged: event = .subsessionsChanged(try data())
        case .subsessionRoleChanged: event = .subsessionRoleChanged(try data())
        case .subsessionUsersChanged: event = .subsessionUsersChanged(try data())
        case .broadcast: event = .broadcast(try data())
        case .helpRequested: event = .helpRequested(try data())
        case .helpEnded: event = .helpEnded(try data())
        case .helpResult: event = .helpResult(try data())
        case .chat: event = .chat(try data())
        case .chatAllowedChanged: event = .chatAllowedChanged(try data())
        case .messageReceived, .notification, .conversationsChanged, .totalUnreadChanged, .groupChanged,
            .groupDismissed:
            event = .messaging(try MessagingEvent(name, from: container, key: .data))
        case .draining: event = .draining(try data())
        case .disconnected: event = .disconnected(try data())
        case .mediaReset: event = .mediaReset(try data())
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(seq, forKey: .seq)
        try container.encode(event.name, forKey: .event)
        switch event {
        case .userJoined(let body): try container.encode(body, forKey: .data)
        case .userChanged(let body): try container.encode(body, forKey: .data)
        case .userLeft(let body): try container.encode(body, forKey: .data)
        case .usersChanged(let body): try container.encode(body, forKey: .data)
        case .userDropped(let body): try container.encode(body, forKey: .data)
        case .hostChanged(let body): try container.encode(body, forKey: .data)
        case .streamCreated(let body): try container.encode(body, forKey: .data)
        case .streamChanged(let body): try container.encode(body, forKey: .data)
        case .streamDestroyed(let body): try container.encode(body, forKey: .data)
        case .recordingStarted(let body): try container.encode(body, forKey: .data)
        case .recordingStopped(let body): try container.encode(body, forKey: .data)
        case .liveStarted(let body): try container.encode(body, forKey: .data)
        case .liveFailed(let body): try container.encode(body, forKey: .data)
        case .liveStopped(let body): try container.encode(body, forKey: .data)
        case .offer(let body): try container.encode(body, forKey: .data)
        case .subscriptionChanged(let body): try container.encode(body, forKey: .data)
        case .signal(let body): try container.encode(body, forKey: .data)
        case .muteForced(let body): try container.encode(body, forKey: .data)
        case .unmuteRequested(let body): try container.encode(body, forKey: .data)
        case .shareLockChanged(let body): try container.encode(body, forKey: .data)
        case .activeSpeaker(let body): try container.encode(body, forKey: .data)
        case .subsessionsChanged(let body): try container.encode(body, forKey: .data)
        case .subsessionRoleChanged(let body): try container.encode(body, forKey: .data)
        case .subsessionUsersChanged(let body): try container.encode(body, forKey: .data)
        case .broadcast(let body): try container.encode(body, forKey: .data)
        case .helpRequested(let body): try container.encode(body, forKey: .data)
        case .helpEnded(let body): try container.encode(body, forKey: .data)
        case .helpResult(let body): try container.encode(body, forKey: .data)
        case .chat(let body): try container.encode(body, forKey: .data)
        case .chatAllowedChanged(let body): try container.encode(body, forKey: .data)
        case .messaging(let event): try event.encodeBody(to: &container, key: .data)
        case .draining(let body): try container.encode(body, forKey: .data)
        case .disconnected(let body): try container.encode(body, forKey: .data)
        case .mediaReset(let body): try container.encode(body, forKey: .data)
        }
    }
}
