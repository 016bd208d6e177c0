package import MediaBase

/// State of a session that its programme depends on.
package struct ProgrammeListing: Hashable, Sendable {
    /// Streams in order of creation.
    package var streams: [ProgrammeStream]
    /// Name of the active speaker's stream.
    package var speaker: String?

    package init(streams: [ProgrammeStream] = [], speaker: String? = nil) {
        self.streams = streams
        self.speaker = speaker
    }

    /// Returns the codec of a programme that begins now: that of the video that it would show first; nil without video in one of `codecs`.
    package func codec(among codecs: [VideoCodec]) -> VideoCodec? {
        let usable = streams.filter { $0.codec.map(codecs.contains) ?? false }
        let first = usable.first(where: \.isScreen) ?? usable.first { $0.name == speaker } ?? usable.first
        return first?.codec
    }
}
