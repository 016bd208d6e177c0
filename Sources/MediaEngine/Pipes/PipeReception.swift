import MediaBase

/// Tracks that a pipe receives.
struct PipeReception {
    struct Track {
        let pipeTrack: PipeTrack
        /// Index of the inbound track.
        let inbound: Int
    }

    /// The sending end. A pipe has one in its life, because another one would begin again with the keystreams of the same SSRCs.
    var sender: TransportID?
    /// By their number at the sending relay.
    var tracks: [UInt64: Track] = [:]
    /// Number of demands sent.
    var demands: UInt32 = 0
    /// Next SSRC. An SSRC is used once in the life of a pipe, because another stream under the same SSRC and key would repeat the keystream.
    private var next: UInt32

    /// - Parameter first: random number that the SSRCs begin with.
    init(first: UInt32) { next = first }

    /// Returns an SSRC that the pipe has not used.
    /// - Parameter plain: its SSRCs are not used, so that packets need no search by key.
    mutating func makeSSRC(besides plain: borrowing PlainIngress) -> SSRC {
        repeat { next &+= 1 } while next == 0 || plain.uses(SSRC(next))
        return SSRC(next)
    }
}
