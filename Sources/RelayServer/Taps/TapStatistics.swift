import Canvas

/// Counters of a `StreamTap`.
public struct TapStatistics: Hashable, Sendable {
    public var decodedFrames: UInt64 = 0
    /// Decoded frames that were replaced by newer ones because the reader was slow.
    public var unreadFrames: UInt64 = 0
    /// Frames dropped because of packet loss, or because they have more pixels than `TapOptions.maximumPixels`.
    public var droppedFrames: UInt64 = 0
    public var decodeErrors: UInt64 = 0
    public var audioBlocks: UInt64 = 0
    /// Blocks that were replaced by newer ones because the reader was slow.
    public var unreadAudioBlocks: UInt64 = 0
    /// Packets dropped because the tap was full: decoding is too slow.
    public var droppedPackets: UInt64 = 0
    /// Packets that never arrived.
    public var lostPackets: UInt64 = 0
    /// Whether the video cannot be decoded, because it is encrypted, too large or in another codec.
    public var isUndecodable = false

    public init() {}

    init(_ canvas: CanvasStatistics, _ queue: CanvasQueue) {
        decodedFrames = canvas.decodedFrames
        unreadFrames = queue.droppedFrames
        droppedFrames = canvas.droppedFrames + canvas.oversizedFrames
        decodeErrors = canvas.decodeErrors
        audioBlocks = canvas.audioBlocks
        unreadAudioBlocks = queue.droppedAudioBlocks
        droppedPackets = canvas.droppedPackets
        lostPackets = canvas.lostPackets
        isUndecodable = canvas.isUndecodable
    }
}
