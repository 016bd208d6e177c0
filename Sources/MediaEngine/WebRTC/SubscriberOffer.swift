package import MediaBase
package import SDP

/// The relay's part of a subscribe peer connection that it offers to a participant.
package struct SubscriberOffer: Sendable {
    package var id: TransportID
    package var session: String
    package var relay: RelayDescription
    /// Video codecs to offer, in this order.
    package var videoCodecs: [VideoCodec]

    package init(
        id: TransportID, session: String, relay: RelayDescription, videoCodecs: [VideoCodec] = VideoCodec.allCases
    ) {
        self.id = id
        self.session = session
        self.relay = relay
        self.videoCodecs = videoCodecs
    }
}
