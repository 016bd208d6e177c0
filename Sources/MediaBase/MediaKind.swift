/// Kind of media of a track.
public enum MediaKind: String, Hashable, Sendable, Codable, CaseIterable {
    case audio
    case video

    /// RTP clock rate of the codec in use: Opus 48,000 Hz (RFC 7587), VP8 90,000 Hz (RFC 7741).
    @inlinable public var clockRate: Int { self == .audio ? 48_000 : 90_000 }
}
