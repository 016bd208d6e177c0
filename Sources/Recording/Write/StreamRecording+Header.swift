import Containers
import MediaBase

extension StreamRecording.Start {
    /// Returns the video track for the header, with the larger of the announced size and that of the first frame. If
    /// neither is known, 1x1, which the first frame replaces in a file.
    func video(announced: FrameSize?) -> WebMConfiguration.Video {
        let first = FrameSize(width: width ?? 1, height: height ?? 1)
        let announced = announced.flatMap { $0.pixels <= FrameSize.maximumPixels ? $0 : nil } ?? first
        let size = announced.pixels > first.pixels ? announced : first
        return WebMConfiguration.Video(
            codec: codec, width: min(size.width, 16_383), height: min(size.height, 16_383),
            codecPrivate: codecPrivate, rotation: rotation)
    }
}
