package import MediaBase

/// The stream of a recording and its publisher, as the session knows them when the recording begins.
package struct RecordingSource: Sendable {
    /// The publisher, in the form of `index.json`.
    package struct Participant: Codable, Sendable, Hashable {
        /// Connection id in the session.
        package var id: String
        /// Display name.
        package var name: String
        /// The application's own id of the user; absent without one in the token.
        package var identity: String?

        package init(id: String, name: String, identity: String? = nil) {
            self.id = id
            self.name = name
            self.identity = identity
        }
    }

    package var participant: Participant?
    package var streamName: String?
    /// Tracks that it is published with, muted ones too; empty if they are not known.
    package var kinds: Set<MediaKind>
    package var muted: Set<MediaKind>
    /// Frame size that the publisher has announced.
    package var size: FrameSize?
    /// Nil for a stream that is not encrypted end to end.
    package var encryption: RecordingEncryption?

    package init(
        participant: Participant? = nil, streamName: String? = nil, kinds: Set<MediaKind> = [],
        muted: Set<MediaKind> = [], size: FrameSize? = nil, encryption: RecordingEncryption? = nil
    ) {
        self.participant = participant
        self.streamName = streamName
        self.kinds = kinds
        self.muted = muted
        self.size = size
        self.encryption = encryption
    }
}
