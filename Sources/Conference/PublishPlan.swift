package import MediaBase
package import Signaling

/// A publish request that passed all checks, ready for negotiation with the media plane. It ends with `confirmPublish`
/// or `cancelPublish`.
package struct PublishPlan: Hashable, Sendable {
    package struct Stream: Hashable, Sendable {
        package var id: StreamID
        package var isNew: Bool
        package var name: String
        package var videoType: VideoType
        package var audioMid: String?
        package var videoMid: String?
        package var width: Int
        package var height: Int
        /// The media plane mutes it before the first packet is forwarded.
        package var startsAudioMuted: Bool
        package var startsVideoMuted: Bool
        package var isEncrypted: Bool
        /// Video codec. The caller that negotiates with the media plane sets it before `confirmPublish`.
        package var codec: VideoCodec?
    }

    package var connection: ConnectionID
    /// Streams in the order of the request, which is also the order of ids in its answer.
    package var streams: [Stream]
    /// Earlier streams that the request does not name; they end when the plan is confirmed.
    package var removed: [StreamID]
}
