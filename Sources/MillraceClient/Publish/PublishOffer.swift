/// An offer of the publish peer connection, and which of its sections are whose.
struct PublishOffer: Sendable {
    struct Sections: Sendable {
        var audio: String?
        var video: String?
    }

    var sdp: String
    /// By publisher.
    var sections: [UInt64: Sections]
}
