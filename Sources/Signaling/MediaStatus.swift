/// Status of one kind of a user's media, over all its streams.
public enum MediaStatus: String, Hashable, Sendable, Codable {
    /// No stream has media of this kind.
    case off
    case on
    /// Published, but muted by its publisher or by the relay.
    case muted
}

/// Content of a stream's video.
public enum VideoType: String, Hashable, Sendable, Codable {
    case camera
    case screen
}

/// A kind of track.
public enum TrackKind: String, Hashable, Sendable, Codable, CaseIterable {
    case audio
    case video
}
