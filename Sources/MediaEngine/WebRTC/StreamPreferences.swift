/// What a participant would like of a stream that it subscribes to. Of the layers that there are, the smallest that suffices is sent, the
/// largest where none does, and less where the path does not carry it.
package struct StreamPreferences: Sendable, Hashable {
    package var audio: Bool
    package var video: Bool
    /// Pixels; nil: the largest there is.
    package var width: Int?
    package var height: Int?
    /// Pictures a second; nil: all.
    package var frameRate: Int?
    /// Of video, where the path does not carry all: larger goes first.
    package var priority: Int
    /// Pixels; an encoding with more is not sent while there is one without. Nil: no bound.
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
