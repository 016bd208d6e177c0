/// Structure of a WebM file, as far as it has been read.
public struct WebMStructure: Hashable, Sendable {
    /// `webm` or `matroska`.
    public var documentType = ""
    /// Whether the segment has a size. A recording that was closed has one; one that is being written or was killed
    /// does not.
    public var segmentSizeIsKnown = false
    public var clusters = 0
    public var hasCues = false
    public var hasSeekHead = false
    public var blocks = 0
}
