/// Preferences of a participant for a stream that it subscribes to. The relay sends the smallest layers that satisfy them, the largest if
/// none do, and less if the path has too little bandwidth.
package struct StreamPreferences: Sendable, Hashable {
    package var audio: Bool
    package var video: Bool
    /// Requested size in pixels; nil: the largest available.
    package var width: Int?
    package var height: Int?
    /// Requested frames per second; nil: all.
    package var frameRate: Int?
    /// Priority of the video if the path cannot carry all tracks: larger values go first.
    package var priority: Int
    /// Upper bounds in pixels. A larger encoding is not sent while there is one within the bounds. Nil: no bound.
    package var maximumWidth: Int?
    package var maximumHeight: Int?

    package init(
        audio: Bool = true, video: Bool = true, width: Int? = nil, height: Int? = nil, frameRate: Int? = nil,
        priority: Int = 50, maximumWidth: Int? = nil, maximumHeight: Int? = nil
    ) {
        self.audio = audio
        self.video = video
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.priority = priority
        self.maximumWidth = maximumWidth
        self.maximumHeight = maximumHeight
    }

    /// Sizes, which keep products of two of them far from the largest number.
    private static let sizes = 1...65_535

    /// Checks that sizes and rates are in the range of real ones.
    func check() throws(EngineError) {
        for (field, size) in [
            ("width", width), ("height", height), ("maximumWidth", maximumWidth), ("maximumHeight", maximumHeight),
            ("frameRate", frameRate),
        ] where size.map(Self.sizes.contains) == false {
            throw .invalidRequest(field: field, reason: "must be 1 to \(Self.sizes.upperBound)")
        }
    }
}
