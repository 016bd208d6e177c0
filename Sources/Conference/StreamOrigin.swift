package import MediaBase
package import Signaling

/// A stream with its publisher, announced or not.
package struct StreamOrigin: Hashable, Sendable {
    package var publisher: UserInfo
    package var name: String
    package var videoType: VideoType
    package var muted: Set<TrackKind>
    /// Pixels; 0 before they are known.
    package var width: Int
    package var height: Int
    package var isEncrypted: Bool
    package var codec: VideoCodec?
}

extension Conference {
    package func origin(of id: StreamID) -> StreamOrigin? {
        guard let stream = published[id], let publisher = participants[stream.owner]?.info else { return nil }
        return StreamOrigin(
            publisher: publisher, name: stream.name, videoType: stream.videoType,
            muted: Set(TrackKind.allCases.filter(stream.isMuted)),
            width: stream.width, height: stream.height, isEncrypted: stream.isEncrypted,
            codec: stream.codec)
    }
}
