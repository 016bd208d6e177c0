#if DEBUG
    /// Ways in which a relay built for tests misbehaves on purpose, so that tests can show that they notice. Debug builds only: a
    /// release build has nothing of it.
    package enum Fault: String, Sendable, CaseIterable {
        /// Every 40th video packet of a producer vanishes after it has been received: it is not forwarded and not kept, so that it
        /// cannot be had again either.
        case dropVideo = "drop-video"
        /// No audio is forwarded.
        case dropAudio = "drop-audio"
        /// Who consumes an audio track gets that of another session, under the SSRC and payload type of his own.
        case swapAudio = "swap-audio"
        /// The same with video.
        case crossSession = "cross-session"
        /// A worker's thread sleeps 800 ms every 3 s.
        case stall
        /// Video of a producer is not forwarded any more from 4 s after its first packet.
        case freeze
        /// Viewers' NACKs are counted and not answered.
        case noRetransmit = "no-retransmit"
        /// Who joins gets no pictures from memory, and no publisher is asked for a key frame on behalf of viewers.
        case noKeyFrame = "no-keyframe"
        /// Media goes on to the first address that a WebRTC peer nominated, whichever it nominates later.
        case deafToMoves = "deaf-to-moves"
        /// A worker traps by an arithmetic overflow 500 ms after its first subscriber connects, and the process ends.
        case trap
    }
#endif
