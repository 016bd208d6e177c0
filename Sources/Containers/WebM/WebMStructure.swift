/// How a WebM file is built, as far as it was read.
public struct WebMStructure: Hashable, Sendable {
    /// `webm` or `matroska`.
    public var documentType = ""
    /// A recording that was closed knows the size of its segment; one that is being written or was killed does not.
    public var segmentSizeIsKnown = false
    public var clusters = 0
    public var hasCues = false
    public var hasSeekHead = false
    public var blocks = 0
}
