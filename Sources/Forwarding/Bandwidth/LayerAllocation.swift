package import MediaBase

/// Division of a target among a subscriber's tracks.
package struct LayerAllocation: Sendable {
    /// Change of a track since the last allocation.
    package enum Change: Sendable {
        case none
        case up
        case down
        /// The bandwidth does not suffice for any encoding.
        case paused
        case resumed
    }

    package struct Decision: Sendable {
        /// Id of the track.
        package let id: Int
        /// Selection; nil if nothing is sent, because bandwidth does not suffice or no encoding is active.
        package let selection: LayerSelection?
        package let change: Change
        /// True if the track is paused because bandwidth does not suffice.
        package let isPausedByBandwidth: Bool
    }

    /// Decisions on video tracks, in the order of the tracks. Audio is always sent.
    package internal(set) var decisions: [Decision] = []
    /// Measured bit rate of all tracks as selected.
    package internal(set) var used = Bitrate(bitsPerSecond: 0)
    /// Target at which every track would be sent at its largest requested size. This is the rate to probe for.
    package internal(set) var wanted = Bitrate(bitsPerSecond: 0)
    /// Smallest target at which a track would be raised; nil if all are at their highest step.
    package internal(set) var next: Bitrate?
}
