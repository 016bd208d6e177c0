/// Offer of the publish peer connection, and the media sections of each publisher.
struct PublishOffer: Sendable {
    struct Sections: Sendable {
        var audio: String?
        var video: String?
    }

    var sdp: String
    /// Media sections by the publisher's `key`.
    var sections: [UInt64: Sections]
}
