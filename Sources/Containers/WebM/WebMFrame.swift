public import MediaBase

/// One frame out of a block.
public struct WebMFrame: Sendable {
    public var track: Int
    /// Of the block as the file has it, plus the length of earlier frames of the same lace.
    public var timestamp: MediaTime
    public var duration: MediaTime?
    public var isKeyframe: Bool
    public var isVisible: Bool
    /// To be cut from the end of what this frame decodes to.
    public var discardPadding: MediaTime
    /// Byte offset in the file.
    public var position: Int64
    public var bytes: [UInt8]
}
