import Forwarding
import MediaBase
import SDP

/// Track of a published stream, as its origin describes it to the other parts of the session.
struct TrackReplica: Sendable {
    /// Number of the track at its origin (`InboundTrack.number`).
    let number: UInt64
    let configuration: Producer.Configuration
    /// Encoding of video; nil for audio, and for the only encoding of a track without RIDs.
    let rid: RID?
    /// Maximum age of the cached key frame that a subscriber starts with.
    let replayLimit: MediaTime
    /// Frame size in pixels; nil before the first key frame.
    let frameSize: (width: Int, height: Int)?
    /// Rates that another relay has announced, and when; nil: none.
    let announcement: (rates: AnnouncedRates, at: MediaTime)?
    /// The publisher's clock when the description was made.
    let clock: SenderClock
}
