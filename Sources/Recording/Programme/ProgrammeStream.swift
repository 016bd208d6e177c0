package import MediaBase

/// A stream of a session as the session's programme sees it.
package struct ProgrammeStream: Hashable, Sendable {
    package var name: String
    package var isScreen: Bool
    /// Whether the stream has audio that is not muted.
    package var hasAudio: Bool
    /// Codec of the stream's video; nil if it has no video, or if its video is muted.
    package var codec: VideoCodec?

    package init(name: String, isScreen: Bool = false, hasAudio: Bool = true, codec: VideoCodec? = nil) {
        self.name = name
        self.isScreen = isScreen
        self.hasAudio = hasAudio
        self.codec = codec
    }
}
