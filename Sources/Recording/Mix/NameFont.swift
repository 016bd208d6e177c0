import CFreeType
import Foundation

/// Renders names to masks with FreeType. Characters that the first font lacks come from the next one that has them.
///
/// Characters are placed one after another: scripts whose letters join, such as Arabic, are legible but not joined.
final class NameFont {
    /// Coverage of each pixel, 0 to 255, in rows.
    struct Mask: Equatable {
        var width: Int
        var height: Int
        var coverage: [UInt8]
    }

    /// Maximum number of characters of a name.
    private static let maximumLength = 60
    /// Fonts larger than this are not opened.
    private static let maximumFonts = 8

    private let library: FT_Library
    private let faces: [FT_Face]

    /// - Parameter paths: font files; those that do not exist or are no fonts are ignored.
    /// - Returns: nil if none can be used.
    init?(_ paths: [String]) {
        var library: FT_Library?
        guard FT_Init_FreeType(&library) == 0, let library else { return nil }
        var faces: [FT_Face] = []
        for path in paths where faces.count < Self.maximumFonts && FileManager.default.fileExists(atPath: path) {
            var face: FT_Face?
            if FT_New_Face(library, path, 0, &face) == 0, let face { faces.append(face) }
        }
        self.library = library
        self.faces = faces
        if faces.isEmpty { return nil }
    }

    deinit {
        for face in faces { FT_Done_Face(face) }
        FT_Done_FreeType(library)
    }

    /// Returns a line of text, cut off with an ellipsis if it is wider than `width`; nil for text without visible characters.
    /// - Parameter height: height of the line in pixels, 8 to 200.
    func mask(_ text: String, height: Int, width: Int) -> Mask? {
        guard (8...200).contains(height), width >= height else { return nil }
        for face in faces { FT_Set_Pixel_Sizes(face, 0, FT_UInt(height * 3 / 4)) }
        var glyphs = Self.visible(text).map { glyph($0) }
        guard !glyphs.isEmpty else { return nil }
        var advance = glyphs.reduce(0) { $0 + self.advance($1) }
        if advance > width {
            let ellipsis = glyph("\u{2026}")
            let room = width - self.advance(ellipsis)
            while let last = glyphs.last, advance > room {
                advance -= self.advance(last)
                glyphs.removeLast()
            }
            glyphs.append(ellipsis)
            advance += self.advance(ellipsis)
        }
        var mask = Mask(
            width: min(width, max(1, advance)), height: height,
            coverage: [UInt8](repeating: 0, count: min(width, max(1, advance)) * height))
        var pen = 0
        for glyph in glyphs { pen += draw(glyph, at: pen, baseline: height * 3 / 4, into: &mask) }
        return mask.coverage.contains { $0 > 0 } ? mask : nil
    }

    private typealias Glyph = (face: FT_Face, index: FT_UInt)

    /// Returns the characters of a name without control and format characters, which could reorder it.
    private static func visible(_ text: String) -> [Unicode.Scalar] {
        let usable = text.precomposedStringWithCanonicalMapping.unicodeScalars.filter { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator, .surrogate].contains(
                scalar.properties.generalCategory)
        }
        return Array(usable.prefix(maximumLength))
    }

    /// Returns the glyph of the first font that has the character, else the first font's sign for a missing one.
    private func glyph(_ scalar: Unicode.Scalar) -> Glyph {
        for face in faces {
            let index = FT_Get_Char_Index(face, FT_ULong(scalar.value))
            if index != 0 { return (face, index) }
        }
        return (faces[0], 0)
    }

    private func advance(_ glyph: Glyph) -> Int {
        guard FT_Load_Glyph(glyph.face, glyph.index, 0) == 0, let slot = glyph.face.pointee.glyph else { return 0 }
        return max(0, min(1_000, Int(slot.pointee.advance.x) >> 6))
    }

    /// Draws a glyph and returns its advance.
    private func draw(_ glyph: Glyph, at pen: Int, baseline: Int, into mask: inout Mask) -> Int {
        guard FT_Load_Glyph(glyph.face, glyph.index, millrace_freetype_render) == 0,
            let slot = glyph.face.pointee.glyph?.pointee
        else { return 0 }
        let bitmap = slot.bitmap
        let advance = max(0, min(1_000, Int(slot.advance.x) >> 6))
        guard let buffer = bitmap.buffer, UInt32(bitmap.pixel_mode) == FT_PIXEL_MODE_GRAY.rawValue else {
            return advance
        }
        for row in 0..<Int(bitmap.rows) {
            let y = baseline - Int(slot.bitmap_top) + row
            guard (0..<mask.height).contains(y) else { continue }
            for column in 0..<Int(bitmap.width) {
                let x = pen + Int(slot.bitmap_left) + column
                guard (0..<mask.width).contains(x) else { continue }
                let value = buffer[row * Int(bitmap.pitch) + column]
                mask.coverage[y * mask.width + x] = max(mask.coverage[y * mask.width + x], value)
            }
        }
        return advance
    }
}
