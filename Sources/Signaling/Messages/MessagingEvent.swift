/// An event about a user's conversations. These events have the number 0 and are not repeated after a reconnect.
public enum MessagingEvent: Hashable, Sendable {
    case messageReceived(MessageReceived)
    case notification(MessageNotification)
    case conversationsChanged(ConversationsChanged)
    case totalUnreadChanged(TotalUnreadChanged)
    case groupChanged(GroupChanged)
    case groupDismissed(GroupDismissed)

    public var name: EventName {
        switch self {
        case .messageReceived: .messageReceived
        case .notification: .notification
        case .conversationsChanged: .conversationsChanged
        case .totalUnreadChanged: .totalUnreadChanged
        case .groupChanged: .groupChanged
        case .groupDismissed: .groupDismissed
        }
    }

    init<Key>(_ name: EventName, from container: KeyedDecodingContainer<Key>, key: Key) throws {
        func data<Body: Decodable>() throws -> Body { try container.decode(Body.self, forKey: key) }
        switch name {
        case .messageReceived: self = .messageReceived(try data())
        case .notification: self = .notification(try data())
        case .conversationsChanged: self = .conversationsChanged(try data())
        case .totalUnreadChanged: self = .totalUnreadChanged(try data())
        case .groupChanged: self = .groupChanged(try data())
        case .groupDismissed: self = .groupDismissed(try data())
        default:
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "\(name.rawValue) is not about conversations")
        }
    }

    func encodeBody<Key>(to container: inout KeyedEncodingContainer<Key>, key: Key) throws {
        switch self {
        case .messageReceived(let body): try container.encode(body, forKey: key)
        case .notification(let body): try container.encode(body, forKey: key)
        case .conversationsChanged(let body): try container.encode(body, forKey: key)
        case .totalUnreadChanged(let body): try container.encode(body, forKey: key)
        case .groupChanged(let body): try container.encode(body, forKey: key)
        case .groupDismissed(let body): try container.encode(body, forKey: key)
        }
    }
}
