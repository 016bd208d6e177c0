import Canvas

/// Counters of a `StreamTap`.
public struct TapStatistics: Hashable, Sendable {
    public var decodedFrames: UInt64 = 0
    /// Decoded frames that gave way to newer ones, as the reader was slow.
    public var unreadFrames: UInt64 = 0
    /// Frames that losses cost, and those with more pixels than `TapOptions.maximumPixels`.
    public var droppedFrames: UInt64 = 0
    public var decodeErrors: UInt64 = 0
    public var audioBlocks: UInt64 = 0
    /// Blocks that gave way to newer ones, as the reader was slow.
    public var unreadAudioBlocks: UInt64 = 0
    /// Packets that found the tap full: decoding does not keep up.
    public var droppedPackets: UInt64 = 0
    /// Packets that never came.
    public var lostPackets: UInt64 = 0
    /// The video cannot be decoded: it is encrypted, too large or no VP8.
    public var isUndecodable = false

    public init() {}

    init(_ canvas: CanvasStatistics, _ queue: CanvasQueue) {
        decodedFrames = canvas.decodedPictures
        unreadFrames = queue.droppedPictures
        droppedFrames = canvas.droppedFrames + canvas.oversizedFrames
        decodeErrors = canvas.decodeErrors
        audioBlocks = canvas.soundBlocks
        unreadAudioBlocks = queue.droppedSound
        droppedPackets = canvas.droppedPackets
        lostPackets = canvas.lostPackets
        isUndecodable = canvas.isUndecodable
    }
}
