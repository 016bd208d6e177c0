/// The stream header of a YUV4MPEG2 file with 4:2:0 pictures.
public struct Y4MHeader: Hashable, Sendable {
    public var width: Int
    public var height: Int
    /// Pictures a second = `rate / scale`.
    public var rate: Int
    public var scale: Int

    public init(width: Int, height: Int, rate: Int, scale: Int = 1) {
        self.width = width
        self.height = height
        self.rate = rate
        self.scale = scale
    }

    /// The header line of a file. `C420jpeg` says where chroma lies (between the luma samples), as VP8 has it; it does not say the range.
    public var text: String { "YUV4MPEG2 W\(width) H\(height) F\(rate):\(scale) Ip A1:1 C420jpeg\n" }
}
