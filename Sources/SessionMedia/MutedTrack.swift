import Signaling

/// Track with an order in progress that mutes or unmutes it.
struct MutedTrack: Hashable, Sendable {
    let stream: StreamID
    let kind: TrackKind
}
