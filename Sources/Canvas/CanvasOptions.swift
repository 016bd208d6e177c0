package import MediaBase

/// What a `CanvasTap` reads and how much it may hold.
package struct CanvasOptions: Sendable {
    package var kinds: Set<MediaKind> = Set(MediaKind.allCases)
    /// 1 to 16.
    package var decoderThreads = 1
    /// Bytes of packets that may wait for the decoder.
    package var packetBytes = 4 << 20
    /// The tap ends after this long; nil never.
    package var duration: MediaTime?

    package init(kinds: Set<MediaKind> = Set(MediaKind.allCases)) { self.kinds = kinds }
}
