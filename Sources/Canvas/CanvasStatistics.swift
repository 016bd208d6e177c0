/// What a `CanvasTap` has counted so far.
package struct CanvasStatistics: Sendable, Hashable {
    /// Packets that found the tap full: its consumer, or its decoder, is too slow.
    package var droppedPackets: UInt64 = 0
    /// Packets that never came, or were dropped before.
    package var lostPackets: UInt64 = 0
    package var decodedPictures: UInt64 = 0
    /// Frames that losses cost.
    package var droppedFrames: UInt64 = 0
    package var decodeErrors: UInt64 = 0
    /// Frames dropped because they have more pixels than `CanvasOptions.maximumPixels`; decode errors as well.
    package var oversizedFrames: UInt64 = 0
    /// Jumps of RTP time: times at which the timeline of a track restarted.
    package var restarts: UInt64 = 0
    package var soundBlocks: UInt64 = 0
    /// Samples a channel that were rebuilt or guessed.
    package var concealedSamples: UInt64 = 0
    /// Samples a channel of silence put into gaps.
    package var silentSamples: UInt64 = 0
    package var keyFrameRequests: UInt64 = 0
    /// No frame was decoded, and none will be.
    package var isUndecodable = false
    package var isEnded = false

    package init() {}
}
