#if DEBUG
    import MediaBase

    /// What a fault remembers of one inbound track.
    struct TrackFault {
        /// Received, as far as the fault looks at them.
        var packets = 0
        /// When the first of them came.
        var since: MediaTime?
        /// Tag of the track whose packets this one is given, and what makes their numbers this one's.
        var source = -1
        var sequenceOffset: UInt16 = 0
        var timestampOffset: UInt32 = 0
    }
#endif
