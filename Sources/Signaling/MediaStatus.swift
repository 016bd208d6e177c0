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

/// Media transport between a client and the relay. Clients ignore unknown values.
public struct MediaTransport: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// DTLS-SRTP, which browsers use.
    public static let webRTC = MediaTransport(rawValue: "webRTC")
    /// SRTP with keys in offers and answers (RFC 4568). Requires an encrypted or local signalling connection.
    public static let native = MediaTransport(rawValue: "native")
}
