import Conference
import MediaEngine

/// One entry of `GET /v1/sessions`.
struct SessionAnswer: Encodable, Sendable {
    /// Key of its app.
    var app: String
    var name: String
    var streams: Int
    var publishers: Int
    var subscribers: Int

    /// - Parameter standard: the default app.
    init(_ snapshot: SessionSnapshot, standard: String) {
        let key = SessionKey(engineName: snapshot.name, standard: standard)
        app = key?.app ?? standard
        name = key?.name ?? snapshot.name
        streams = snapshot.streams
        publishers = snapshot.publishers
        subscribers = snapshot.subscribers
    }
}
