/// A name on a translucent dark box, as planes that are blended over a frame.
struct NameLabel {
    /// Luma of white and black.
    private static let white = 235
    private static let black = 16
    /// Opacity of the box, of 255.
    private static let boxOpacity = 150

    /// Even.
    let width: Int
    let height: Int
    let luma: [UInt8]
    /// Opacity of `luma`, and of neutral chroma at half the size.
    let opacity: [UInt8]
    let chromaOpacity: [UInt8]

    init(_ mask: NameFont.Mask) {
        // The width is a multiple of 16, for which libyuv has vector instructions.
        let padding = max(2, mask.height / 4)
        let width = (mask.width + 2 * padding + 15) & ~15
        let height = (mask.height + 2) & ~1
        var luma = [UInt8](repeating: UInt8(Self.black), count: width * height)
        var opacity = [UInt8](repeating: UInt8(Self.boxOpacity), count: width * height)
        for y in 0..<mask.height {
            for x in 0..<mask.width {
                let text = Int(mask.coverage[y * mask.width + x])
                guard text > 0 else { continue }
                // The text over the box, as one layer.
                let box = Self.boxOpacity * (255 - text) / 255
                let pixel = y * width + x + padding
                opacity[pixel] = UInt8(min(255, text + box))
                luma[pixel] = UInt8((Self.white * text + Self.black * box) / max(1, text + box))
            }
        }
        self.width = width
        self.height = height
        self.luma = luma
        self.opacity = opacity
        chromaOpacity = (0..<(height / 2)).flatMap { y in
            (0..<(width / 2)).map { x in
                let pixel = 2 * y * width + 2 * x
                let sum =
                    Int(opacity[pixel]) + Int(opacity[pixel + 1]) + Int(opacity[pixel + width])
                    + Int(opacity[pixel + width + 1])
                return UInt8(sum / 4)
            }
        }
    }
}
