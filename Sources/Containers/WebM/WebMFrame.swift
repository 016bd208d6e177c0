public import MediaBase

/// A frame of a block.
public struct WebMFrame: Sendable {
    public var track: Int
    /// Timestamp of the block in the file, plus the duration of earlier frames of the same lace.
    public var timestamp: MediaTime
    public var duration: MediaTime?
    public var isKeyframe: Bool
    public var isVisible: Bool
    /// Duration to cut from the end of the decoded frame.
    public var discardPadding: MediaTime
    /// Byte offset in the file.
    public var position: Int64
    public var bytes: [UInt8]
}
