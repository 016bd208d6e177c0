package import MediaBase

/// What the relay does with one section of an offer.
package enum AnsweredTrack: Sendable, Hashable {
    /// Takes what the peer sends: the encodings that the description has.
    case receive(TrackDescription)
    /// Nothing at present.
    case idle(TrackDescription)
    /// Sends to the peer: from `ssrc`, retransmissions from `rtxSSRC` where the description has a payload type for them. `streamID`
    /// and `trackID` are what the peer's scripts see (RFC 8830); tracks of one stream and one `cname` are played in step.
    case send(
        TrackDescription, ssrc: SSRC, rtxSSRC: SSRC?, cname: String, streamID: String, trackID: String)

    package var track: TrackDescription {
        switch self {
        case .receive(let track), .idle(let track), .send(let track, _, _, _, _, _): track
        }
    }

    package var sends: Bool {
        switch self {
        case .receive, .idle: false
        case .send: true
        }
    }
}
