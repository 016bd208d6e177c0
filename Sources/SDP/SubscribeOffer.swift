/// An offer that the relay makes for a participant's subscribe peer connection.
package struct SubscribeOffer: Sendable, Hashable {
    /// Media sections that carry one stream.
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

    /// Number of the offer, incremented by one with each offer.
    package let revision: Int
    package let sdp: String
    /// Streams in the order of their subscriptions.
    package let streams: [Stream]
}
