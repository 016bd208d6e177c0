import Foundation
import Messaging
import Signaling

/// Text of the events of one commit in the database, as JSON.
enum AnnouncementText {
    private struct Part: Codable {
        struct Delivery: Codable {
            var users: [String]
            var event: EventMessage
        }

        var app: String
        var deliveries: [Delivery]
    }

    struct Unknown: Error {}

    static func text(_ announcements: [MessageAnnouncement]) throws -> String {
        let parts = announcements.map { part in
            Part(
                app: part.app,
                deliveries: part.deliveries.map {
                    Part.Delivery(users: $0.users, event: EventMessage(seq: 0, .messaging($0.event)))
                })
        }
        return String(decoding: try JSONEncoder().encode(parts), as: UTF8.self)
    }

    /// - Throws: an error if a relay of another version has written events that this one does not know.
    static func announcements(_ text: String) throws -> [MessageAnnouncement] {
        try JSONDecoder().decode([Part].self, from: Data(text.utf8)).map { part in
            MessageAnnouncement(
                app: part.app,
                deliveries: try part.deliveries.map { delivery in
                    guard case .messaging(let event) = delivery.event.event else { throw Unknown() }
                    return MessageDelivery(users: delivery.users, event: event)
                })
        }
    }
}
