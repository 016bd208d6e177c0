import MediaBase

/// State of a track at the sending end of a pipe: whether it is sent at present.
struct PipeTrackState {
    /// Whether it is not sent, because the other relay does not need it.
    var isHeldBack = false
    /// Whether it is not sent, because the path to the other relay is too narrow.
    var isWithheld = false
    /// Time until which demands do not hold it back: the subscribers of a larger encoding, which is withheld, need it.
    var keptUntil = MediaTime.zero
    /// Number of subscribers and taps at the other relay that take it.
    var takers = 1
    /// Time until which it was not sent; in the future: it is not sent now; in the past: it was sent always, or for long.
    var stoppedUntil = MediaTime(rawValue: -PipeFormat.measuringTime.rawValue)
    /// Number of the newest demand that has named it.
    var demand: UInt32?

    /// Whether it is not sent, for either reason.
    var isStopped: Bool { isHeldBack || isWithheld }
}
