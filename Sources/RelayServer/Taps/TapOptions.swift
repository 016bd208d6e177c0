import Canvas
import MediaBase

/// Kinds that a `StreamTap` reads, and the size of its queue.
public struct TapOptions: Sendable {
    public var audio = true
    public var video = true
    /// Frames that wait for the reader: 1 keeps the latest alone. A frame of 1280x720 takes 1.4 MB.
    public var frames = 2
    /// Blocks of audio that wait for the reader, mostly of 20 ms.
    public var audioBlocks = 50
    /// Threads that decode, 1 to 16.
    public var decoderThreads = 1
    /// Larger video frames are dropped and counted. Nil: as many as a reader of the HTTP endpoints may have.
    public var maximumPixels: Int?

    public init() {}

    var canvas: CanvasOptions {
        var options = CanvasOptions(kinds: Set(MediaKind.allCases.filter { $0 == .audio ? audio : video }))
        options.decoderThreads = min(max(1, decoderThreads), 16)
        if let maximumPixels { options.maximumPixels = max(1, maximumPixels) }
        return options
    }
}
