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

    /// Returns the upright size of the file's key frame with the most pixels (RFC 6386 section 9.1), read without
    /// decoding. The header may have another size: other programs write the first size there, and a killed writer could
    /// not correct it.
    ///
    /// - Returns: nil if the file has no key frame that a decoder accepts.
    package static func largest(ofFile path: String) throws(DecodeError) -> FrameSize? {
        let file = try EncodedFile(path: path)
        var largest: FrameSize?
        while let packet = try file.next() {
            guard packet.kind == .video, packet.isKeyFrame, let info = try? VP8FrameInfo(packet.bytes),
                let width = info.width, let height = info.height, width * height <= maximumPixels
            else { continue }
            let size = FrameSize(width: width, height: height)
            if size.pixels > (largest?.pixels ?? 0) { largest = size }
        }
        return file.video?.rotation.isSideways == true
            ? largest.map { FrameSize(width: $0.height, height: $0.width) } : largest
    }
}
