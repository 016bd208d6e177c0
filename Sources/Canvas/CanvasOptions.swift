package import MediaBase

/// What a `CanvasTap` reads and how much it may hold.
package struct CanvasOptions: Sendable {
    package var kinds: Set<MediaKind> = Set(MediaKind.allCases)
    /// 1 to 16.
    package var decoderThreads = 1
    /// Bytes of packets that may wait for the decoder.
    package var packetBytes = 4 << 20
    /// Larger video frames are dropped and counted.
    package var maximumPixels = CanvasMemory.maximumPixels(readerBytes: CanvasMemory.readerBytes)
    /// The tap ends after this long; nil never.
    package var duration: MediaTime?
    /// The tap ends once the video cannot be decoded; otherwise it waits for video that can.
    package var endsIfUndecodable = false
    /// Called from the tap's thread with the number of timeline restarts so far: after the first, then at most every
    /// `CanvasThread.restartInterval`.
    package var onRestart: (@Sendable (UInt64) -> Void)?

    package init(kinds: Set<MediaKind> = Set(MediaKind.allCases)) { self.kinds = kinds }
}
