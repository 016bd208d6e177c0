/// An offer that the relay makes for a participant's subscribe peer connection.
package struct SubscribeOffer: Sendable, Hashable {
    /// Which media sections carry which stream.
    package struct Stream: Sendable, Hashable {
        package var id: String
        package var audioMid: String?
        package var videoMid: String?

        package init(id: String, audioMid: String? = nil, videoMid: String? = nil) {
            self.id = id
            self.audioMid = audioMid
            self.videoMid = videoMid
        }
    }

    /// One more than that of the offer before.
    package let revision: Int
    package let sdp: String
    /// In the order of their subscriptions.
    package let streams: [Stream]
}
