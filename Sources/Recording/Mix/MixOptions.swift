import MediaBase

/// Properties of a mixed file.
package struct MixOptions: Sendable {
    /// Fonts of the names, in order of preference, that exist on Debian with usual packages. A later one is used for characters that
    /// an earlier one lacks.
    package static let usualFonts = [
        "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
        "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
        "/usr/share/fonts/truetype/freefont/FreeSans.ttf", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
        "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    ]

    package var style = MixStyle.grid
    /// Even width and height of the video, 160 to 3840 pixels each.
    package var size = FrameSize(width: 1_280, height: 720)
    /// Frames per second, 1 to 60.
    package var framesPerSecond = 30
    package var fonts = MixOptions.usualFonts

    package init() {}

    /// Bit rate of the video: 2 Mb/s at 1280x720 and 30 frames a second.
    var bitrate: Bitrate {
        .kilobits(max(100, min(20_000, Int64(size.pixels) * Int64(framesPerSecond) * 75 / 1_000_000)))
    }

    /// Time of a frame of the output.
    func time(ofFrame number: Int64) -> MediaTime {
        let (seconds, rest) = number.quotientAndRemainder(dividingBy: Int64(framesPerSecond))
        return .nanoseconds(seconds * 1_000_000_000 + rest * 1_000_000_000 / Int64(framesPerSecond))
    }

    /// Number of the first frame of the output at a time or after it.
    func frame(at time: MediaTime) -> Int64 {
        let (seconds, rest) = max(0, time.rawValue).quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * Int64(framesPerSecond) + (rest * Int64(framesPerSecond) + 999_999_999) / 1_000_000_000
    }

    var interval: MediaTime { time(ofFrame: 1) }

    /// - Throws: `ComposeError.option` for a value out of range.
    package func validate() throws(ComposeError) {
        for side in [size.width, size.height] where !(160...3_840).contains(side) || side % 2 != 0 {
            throw .option("size", reason: "\(side) is not an even number from 160 to 3840")
        }
        guard (1...60).contains(framesPerSecond) else {
            throw .option("rate", reason: "\(framesPerSecond) is not from 1 to 60")
        }
    }
}
