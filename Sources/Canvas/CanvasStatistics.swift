package import MediaBase

/// Counters of a `CanvasTap`.
package struct CanvasStatistics: Sendable, Hashable {
    /// Packets dropped because the tap was full: its consumer or its decoder is too slow.
    package var droppedPackets: UInt64 = 0
    /// Packets that never arrived or were dropped earlier.
    package var lostPackets: UInt64 = 0
    package var decodedFrames: UInt64 = 0
    /// Frames dropped because of packet loss.
    package var droppedFrames: UInt64 = 0
    package var decodeErrors: UInt64 = 0
    /// Frames dropped because they have more pixels than `CanvasOptions.maximumPixels`; also counted as decode errors.
    package var oversizedFrames: UInt64 = 0
    /// Jumps of RTP time: number of restarts of a track's timeline.
    package var restarts: UInt64 = 0
    package var audioBlocks: UInt64 = 0
    /// Samples per channel that were rebuilt or concealed.
    package var concealedSamples: UInt64 = 0
    /// Samples per channel of silence in gaps.
    package var silentSamples: UInt64 = 0
    package var keyFrameRequests: UInt64 = 0
    /// Whether the video that arrives now cannot be decoded (`VideoCanvas.isUndecodable`).
    package var isUndecodable = false
    /// Codec of the video if it is in a format that cannot be decoded; its frames are also counted as decode errors.
    package var unsupportedCodec: VideoCodec?
    package var isEnded = false

    package init() {}
}
