package import Signaling

/// A publish request that was allowed: what is to be negotiated with the media plane. It ends in `confirmPublish` or `cancelPublish`.
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
    }

    package var connection: ConnectionID
    /// In the order of the request: the answer names their ids in this order.
    package var streams: [Stream]
    /// Streams of earlier requests that are no longer among them; they end when the plan is confirmed.
    package var removed: [StreamID]
}
