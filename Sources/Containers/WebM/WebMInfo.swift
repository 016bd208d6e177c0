public import MediaBase

/// The Info element of a WebM file.
public struct WebMInfo: Hashable, Sendable {
    public var timestampScale: MediaTime = .milliseconds(1)
    public var duration: MediaTime?
    /// Wall-clock time of timestamp zero: nanoseconds since 1970-01-01T00:00:00Z.
    public var date: Int64?
    public var muxingApp = ""
    public var writingApp = ""
}
