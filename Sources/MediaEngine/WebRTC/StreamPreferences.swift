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
}
