import MediaBase

/// A media section of the relay's offers to a participant. It keeps its position as long as the peer connection lasts.
struct SubscribeSection: Hashable, Sendable, Codable {
    /// Stream and SSRCs that the section carries.
    struct Source: Sendable, Hashable, Codable {
        let stream: String
        let ssrc: SSRC
        /// Allocated for video even if the participant does not accept retransmissions.
        let rtxSSRC: SSRC?
    }

    /// Identification; a new one if the section was rejected and is used again (RFC 8829 section 5.2.2).
    var mid: MID
    let kind: MediaKind
    /// Source that the section should carry; nil: none.
    var source: Source?
    /// Source in the latest offer.
    var offered: Source?
    /// Source that the relay sends, once an answer accepted it.
    var agreed: Source?
    /// True until an offer without a source is answered: packets of the previous source may still be in flight.
    var isSettling = false
    /// True if the section is offered with port 0, because the participant refused its track. Reused with another mid once that was
    /// answered.
    var isRejected = false

    // Another relay continues a negotiation only while no offer is open, so that nothing is settling.
    private enum CodingKeys: CodingKey {
        case mid
        case kind
        case source
        case offered
        case agreed
        case isRejected
    }

    var isFree: Bool { source == nil && !isSettling && offered == nil }
}
