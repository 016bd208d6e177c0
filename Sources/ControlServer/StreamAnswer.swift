import Foundation
import MediaEngine

/// One entry of `GET /v1/sessions/{session}/streams`.
struct StreamAnswer: Encodable, Sendable {
    var name: String
    /// Time of creation, RFC 3339 in UTC.
    var createdAt: String
    var subscribers: Int
    var taps: Int
    var recording: Bool
    var audio: TrackAnswer?
    var video: TrackAnswer?

    init(_ snapshot: StreamSnapshot, recording: Bool) {
        name = snapshot.name
        createdAt =
            Date(timeIntervalSince1970: Double(snapshot.createdAt) / 1e9)
            .formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) + "Z"
        subscribers = snapshot.subscribers
        taps = snapshot.taps
        self.recording = recording
        audio = snapshot.audio.map { TrackAnswer($0, codec: nil) }
        video = snapshot.video.map { TrackAnswer($0, codec: snapshot.codec) }
    }
}
