package import MediaBase

/// Stream and publisher of a recording, as known to the session when the recording starts.
package struct RecordingSource: Sendable {
    /// Publisher in the format of `index.json`.
    package struct Participant: Codable, Sendable, Hashable {
        /// Connection id in the session.
        package var id: String
        /// Display name.
        package var name: String
        /// The application's id of the user; absent if the token has none.
        package var identity: String?

        package init(id: String, name: String, identity: String? = nil) {
            self.id = id
            self.name = name
            self.identity = identity
        }
    }

    package var participant: Participant?
    package var streamName: String?
    /// `camera` or `screen`.
    package var videoType: String?
    /// Kinds that the stream is published with, including muted ones; empty if unknown.
    package var kinds: Set<MediaKind>
    package var muted: Set<MediaKind>
    /// Frame size announced by the publisher.
    package var size: FrameSize?
    /// Nil for a stream that is not encrypted end to end.
    package var encryption: RecordingEncryption?

    package init(
        participant: Participant? = nil, streamName: String? = nil, videoType: String? = nil,
        kinds: Set<MediaKind> = [], muted: Set<MediaKind> = [], size: FrameSize? = nil,
        encryption: RecordingEncryption? = nil
    ) {
        self.participant = participant
        self.streamName = streamName
        self.videoType = videoType
        self.kinds = kinds
        self.muted = muted
        self.size = size
        self.encryption = encryption
    }
}
