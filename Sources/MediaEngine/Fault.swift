#if DEBUG
    /// Faults that a relay built for tests injects, so that tests can show that they detect them. Debug builds only.
    package enum Fault: String, Sendable, CaseIterable {
        /// Drops every 40th video packet of a producer after receiving it: the packet is neither forwarded nor cached, so that a
        /// retransmission cannot recover it.
        case dropVideo = "drop-video"
        /// No audio is forwarded.
        case dropAudio = "drop-audio"
        /// Sends subscribers of an audio track the audio of another session, under the SSRC and payload type of their own track.
        case swapAudio = "swap-audio"
        /// Does the same as `swapAudio` with video.
        case crossSession = "cross-session"
        /// A worker's thread sleeps 800 ms every 3 s.
        case stall
        /// Stops forwarding a producer's video 4 s after its first packet.
        case freeze
        /// Counts subscribers' NACKs and does not answer them.
        case noRetransmit = "no-retransmit"
        /// Sends a new subscriber no cached frames, and requests no key frames from publishers for subscribers.
        case noKeyFrame = "no-keyframe"
        /// Sends media to the first address that a WebRTC peer nominated, and ignores later nominations.
        case deafToMoves = "deaf-to-moves"
        /// A worker traps by an arithmetic overflow 500 ms after its first subscriber connects, and the process ends.
        case trap
    }
#endif
