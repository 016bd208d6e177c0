package import MediaBase

/// Size and frame rate of a test video, written `1280x720@30`.
package struct VideoFormat: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Pixels, even, at least 160.
    package let width: Int
    /// Pixels, even, at least 90.
    package let height: Int
    /// 1...60.
    package let framesPerSecond: Int

    package init(width: Int, height: Int, framesPerSecond: Int) throws(VideoFormatError) {
        guard (160...3840).contains(width), (90...2160).contains(height), width % 2 == 0, height % 2 == 0 else {
            throw VideoFormatError("\(width)x\(height) is not an even size in 160x90...3840x2160")
        }
        guard FrameBar.fits(width: width, height: height) else {
            throw VideoFormatError("\(width)x\(height) is too small for the frame bar")
        }
        guard (1...60).contains(framesPerSecond) else {
            throw VideoFormatError("\(framesPerSecond) frames a second are not in 1...60")
        }
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
    }

    /// - Parameter text: `WxH@FPS`; 30 frames a second if `@FPS` is left out.
    package init(_ text: String) throws(VideoFormatError) {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        let sides = halves[0].split(separator: "x", omittingEmptySubsequences: false)
        guard halves.count <= 2, sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
            let rate = halves.count == 2 ? Int(halves[1]) : 30
        else {
            throw VideoFormatError("\"\(text)\" is not WxH@FPS such as 1280x720@30, nor none")
        }
        try self.init(width: width, height: height, framesPerSecond: rate)
    }

    /// Time from one capture to the next.
    package var interval: MediaTime { .nanoseconds(1_000_000_000 / Int64(framesPerSecond)) }

    /// Bit rate at which the test video looks acceptable: 0.07 bits per pixel, at least 150 kb/s.
    package var usualBitrate: Bitrate {
        Bitrate(bitsPerSecond: max(150_000, Int64(width * height * framesPerSecond) * 7 / 100))
    }

    /// Sizes for simulcast, smallest first: a quarter, a half and the full width and height, without sizes that are not valid.
    package var simulcast: [VideoFormat] {
        [4, 2].compactMap {
            try? VideoFormat(width: width / $0 & ~1, height: height / $0 & ~1, framesPerSecond: framesPerSecond)
        } + [self]
    }

    package var description: String { "\(width)x\(height)@\(framesPerSecond)" }
}
