#if DEBUG
    import MediaBase

    /// State of the injected fault for one inbound track.
    struct TrackFault {
        /// Number of packets received.
        var packets = 0
        /// Arrival time of the first packet.
        var since: MediaTime?
        /// Tag of the track whose packets replace this track's, and the offsets that map their numbers to this track's.
        var source = -1
        var sequenceOffset: UInt16 = 0
        var timestampOffset: UInt32 = 0
    }
#endif
