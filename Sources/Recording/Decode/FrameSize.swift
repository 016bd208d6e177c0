import Codecs
import MediaBase

/// Width and height of a video frame, in pixels.
package struct FrameSize: Sendable, Hashable {
    /// Pixels of the largest frame that decoders accept.
    package static let maximumPixels = 4096 * 4096

    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var pixels: Int { width * height }

    /// Returns the upright size of the file's key frame with the most pixels, read without
    /// decoding. The header may have another size: other programs write the first size there, and a killed writer could
    /// not correct it.
    ///
    /// - Returns: nil if the file has no key frame that a decoder accepts.
    package static func largest(ofFile path: String) throws(DecodeError) -> FrameSize? {
        let file = try EncodedFile(path: path)
        var largest: FrameSize?
        while let packet = try file.next() {
            guard packet.kind == .video, packet.isKeyFrame,
                let video = file.video, let frame = try? video.frames.frame(of: packet),
                let size = of(frame, video.codec),
                size.pixels <= maximumPixels
            else { continue }
            if size.pixels > (largest?.pixels ?? 0) { largest = size }
        }
        return file.video?.rotation.isSideways == true
            ? largest.map { FrameSize(width: $0.height, height: $0.width) } : largest
    }

    /// Returns the size of a key frame; nil if its header is damaged.
    private static func of(_ keyFrame: [UInt8], _ codec: VideoCodec) -> FrameSize? {
        let size: (width: Int?, height: Int?)
        switch codec {
        case .vp8:
            let info = try? VP8FrameInfo(keyFrame)
            size = (info?.width, info?.height)
        case .vp9:
            let info = try? VP9FrameInfo.all(in: keyFrame).last
            size = (info?.width, info?.height)
        case .h264:
            let info = try? H264FrameInfo(keyFrame)
            size = (info?.width, info?.height)
        case .av1:
            let info = try? AV1FrameInfo(keyFrame)
            size = (info?.width, info?.height)
        }
        guard let width = size.width, let height = size.height else { return nil }
        return FrameSize(width: width, height: height)
    }
}
