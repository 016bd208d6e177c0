/// One kind of a user's media, over all that it publishes.
public enum MediaStatus: String, Hashable, Sendable, Codable {
    /// Nothing of the kind is published.
    case off
    case on
    /// Published, and kept from everybody by its publisher or by the relay.
    case muted
}

/// What the pictures of a stream show.
public enum VideoType: String, Hashable, Sendable, Codable {
    case camera
    case screen
}

/// A kind of track.
public enum TrackKind: String, Hashable, Sendable, Codable, CaseIterable {
    case audio
    case video
}
