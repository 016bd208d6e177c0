package import MediaBase

/// Comparison of decoded frames with their source frames of `TestVideo`, which are drawn again.
package struct SourceComparison: Sendable {
    private let drawing: TestVideo
    /// The latest source frame; its memory is reused.
    private var source: I420Frame

    /// - Precondition: `FrameBar.fits(width:height:)`.
    package init(width: Int, height: Int) {
        drawing = TestVideo(width: width, height: height)
        source = I420Frame(width: width, height: height)
    }

    /// Returns the PSNR of a decoded frame, in dB; nil if its size is not that of the source.
    /// - Parameter bar: the bar of the frame, which identifies its source frame.
    package mutating func psnr(of frame: I420Frame, _ bar: FrameBar) -> Double? {
        guard frame.width == source.width, frame.height == source.height else { return nil }
        drawing.draw(bar, into: &source)
        return PSNR.luma(frame, against: source)
    }
}
