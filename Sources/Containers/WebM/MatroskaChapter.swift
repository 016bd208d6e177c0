public import MediaBase

/// A point in a Matroska file to which players jump (RFC 9559 section 5.1.7).
public struct MatroskaChapter: Hashable, Sendable {
    /// Time in the file.
    public var time: MediaTime
    public var title: String

    public init(time: MediaTime, title: String) {
        self.time = time
        self.title = title
    }
}
