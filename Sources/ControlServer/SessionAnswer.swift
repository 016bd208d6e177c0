internal import MediaEngine

/// One entry of `GET /v1/sessions`.
struct SessionAnswer: Encodable, Sendable {
    var name: String
    var streams: Int
    var publishers: Int
    var subscribers: Int

    init(_ snapshot: SessionSnapshot) {
        name = snapshot.name
        streams = snapshot.streams
        publishers = snapshot.publishers
        subscribers = snapshot.subscribers
    }
}
