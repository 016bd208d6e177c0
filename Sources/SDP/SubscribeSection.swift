import MediaBase

/// One media section of the relay's offers to a participant. It keeps its place for as long as the peer connection lasts.
struct SubscribeSection: Sendable {
    /// What the section carries.
    struct Source: Sendable, Hashable {
        let stream: String
        let ssrc: SSRC
        /// Allotted to video, whether or not the participant takes retransmissions.
        let rtxSSRC: SSRC?
    }

    /// Another one once the section was rejected and is used again (RFC 8829 section 5.2.2).
    var mid: MID
    let kind: MediaKind
    /// What is wanted of it; nil: nothing.
    var source: Source?
    /// As the latest offer said it.
    var offered: Source?
    /// What is sent by it, from an answer on.
    var agreed: Source?
    /// An answer to an offer without a source has still to come: packets of the one before may be on their way.
    var isSettling = false
    /// Offered with port 0, as the participant does not take what it carried, and used again under another name once that was answered.
    var isRejected = false

    var isFree: Bool { source == nil && !isSettling && offered == nil }
}
