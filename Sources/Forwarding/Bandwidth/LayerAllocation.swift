package import MediaBase

/// How a target is shared over a subscriber's tracks.
package struct LayerAllocation: Sendable {
    /// What happened to a track since the last allocation.
    package enum Change: Sendable {
        case none
        case up
        case down
        /// Bandwidth does not allow any of it.
        case paused
        case resumed
    }

    package struct Decision: Sendable {
        /// Of the track.
        package let id: Int
        /// nil: nothing is sent, for want of bandwidth or of an active encoding.
        package let selection: LayerSelection?
        package let change: Change
        /// It is bandwidth that it wants.
        package let isPausedByBandwidth: Bool
    }

    /// Of video tracks, in the order of the tracks. Audio always goes.
    package internal(set) var decisions: [Decision] = []
    /// Of all tracks, as they were measured.
    package internal(set) var used = Bitrate(bitsPerSecond: 0)
    /// The target with which every track would be sent as large as it is wanted: what to probe for.
    package internal(set) var wanted = Bitrate(bitsPerSecond: 0)
    /// The smallest target with which some track would go up; nil: there is none.
    package internal(set) var next: Bitrate?
}
