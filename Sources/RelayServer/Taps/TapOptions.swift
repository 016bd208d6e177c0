import Canvas
import MediaBase

/// Media kinds that a `StreamTap` reads, and the size of its queue.
public struct TapOptions: Sendable {
    public var audio = true
    public var video = true
    /// Frames that can wait for the reader; 1 keeps only the latest. A frame of 1280x720 takes 1.4 MB.
    public var frames = 2
    /// Audio blocks that can wait for the reader, mostly 20 ms each.
    public var audioBlocks = 50
    /// Number of decoder threads, 1 to 16.
    public var decoderThreads = 1
    /// Maximum pixels of a video frame; larger frames are dropped and counted. Nil for the limit of the HTTP endpoints.
    public var maximumPixels: Int?

    public init() {}

    var canvas: CanvasOptions {
        var options = CanvasOptions(kinds: Set(MediaKind.allCases.filter { $0 == .audio ? audio : video }))
        options.decoderThreads = min(max(1, decoderThreads), 16)
        if let maximumPixels { options.maximumPixels = max(1, maximumPixels) }
        return options
    }
}
