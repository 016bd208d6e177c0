package import MediaBase

/// The relay's answer to one section of an offer.
package enum AnsweredTrack: Sendable, Hashable {
    /// The relay receives the encodings in the description.
    case receive(TrackDescription)
    /// The relay sends and receives nothing at present.
    case idle(TrackDescription)
    /// The relay sends with `ssrc`, and retransmissions with `rtxSSRC` if the description has payload types for them. `streamID`
    /// and `trackID` are visible to the peer's scripts (RFC 8830). Clients synchronize tracks of one stream and one `cname`.
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
