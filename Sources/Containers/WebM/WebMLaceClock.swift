import MediaBase

/// Assigns times to the frames of a lace, because a block stores only the time of the first one.
struct WebMLaceClock {
    private var next: MediaTime = .zero

    mutating func frame(from block: WebMParserState.Block, tracks: [WebMTrack], info: WebMInfo) -> WebMFrame {
        var frame = block.frame
        let track = tracks.first { $0.number == frame.track }
        if block.laceIndex > 0 { frame.timestamp = next }
        let length: MediaTime
        if track?.codec == .opus, let samples = OpusPacketDuration.samples(frame.bytes) {
            length = .nanoseconds(Int64(samples) * 1_000_000_000 / 48_000)
        } else {
            length = track?.defaultDuration ?? .zero
        }
        next = frame.timestamp + length
        return frame
    }
}
