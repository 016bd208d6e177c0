/// Rectangle of the mixed video in pixels. Its values are even, so that luma and chroma stay aligned.
package struct MixRectangle: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    /// Rounds positions and sizes down to even values; a size is at least 2.
    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x & ~1
        self.y = y & ~1
        self.width = max(2, width & ~1)
        self.height = max(2, height & ~1)
    }

    var area: Int { width * height }

    /// Returns the largest rectangle with the aspect ratio of a frame in the center of this one.
    func fitting(width frameWidth: Int, height frameHeight: Int) -> MixRectangle {
        guard frameWidth > 0, frameHeight > 0 else { return self }
        let isWider = frameWidth * height > width * frameHeight
        let fitted =
            isWider
            ? (width: width, height: max(2, (frameHeight * width / frameWidth) & ~1))
            : (width: max(2, (frameWidth * height / frameHeight) & ~1), height: height)
        return MixRectangle(
            x: x + (width - fitted.width) / 2, y: y + (height - fitted.height) / 2, width: fitted.width,
            height: fitted.height)
    }

    /// Returns the rectangle without a margin at each side.
    func inset(by margin: Int) -> MixRectangle {
        guard width > 2 * margin + 2, height > 2 * margin + 2 else { return self }
        return MixRectangle(x: x + margin, y: y + margin, width: width - 2 * margin, height: height - 2 * margin)
    }
}
