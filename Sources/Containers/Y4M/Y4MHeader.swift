/// Stream header of a YUV4MPEG2 file with 4:2:0 frames.
public struct Y4MHeader: Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// Frames per second = `rate / scale`.
    public var rate: Int
    public var scale: Int

    public init(width: Int, height: Int, rate: Int, scale: Int = 1) {
        self.width = width
        self.height = height
        self.rate = rate
        self.scale = scale
    }

    /// Header line of a file. `C420jpeg` means that chroma lies between the luma samples, as in VP8; it does not define
    /// the range.
    public var text: String { "YUV4MPEG2 W\(width) H\(height) F\(rate):\(scale) Ip A1:1 C420jpeg\n" }
}
