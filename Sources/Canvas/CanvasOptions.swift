package import MediaBase

/// Media kinds that a `CanvasTap` reads, and its limits.
package struct CanvasOptions: Sendable {
    package var kinds: Set<MediaKind> = Set(MediaKind.allCases)
    /// Number of decoder threads, 1 to 16.
    package var decoderThreads = 1
    /// Maximum bytes of packets that wait for the decoder.
    package var packetBytes = 4 << 20
    /// Maximum pixels of a video frame; larger frames are dropped and counted.
    package var maximumPixels = CanvasMemory.maximumPixels(readerBytes: CanvasMemory.readerBytes)
    /// Time after which the tap ends; nil for no limit.
    package var duration: MediaTime?
    /// Whether the tap ends if the video cannot be decoded; otherwise it waits for other video.
    package var endsIfUndecodable = false
    /// Time after which `CanvasTap.begun()` returns although no frame was decoded.
    package var beginLimit = CanvasTap.frameLimit
    /// Called from the tap's thread with the number of timeline restarts so far: after the first, then at most once per
    /// `CanvasThread.restartInterval`.
    package var onRestart: (@Sendable (UInt64) -> Void)?

    package init(kinds: Set<MediaKind> = Set(MediaKind.allCases)) { self.kinds = kinds }
}
