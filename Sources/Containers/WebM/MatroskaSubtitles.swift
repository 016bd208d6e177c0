/// Subtitle track of a Matroska file: plain text in UTF-8 (`S_TEXT/UTF8`, RFC 9559 section 27).
enum MatroskaSubtitles {
    /// Type of subtitle tracks.
    private static let trackType: UInt64 = 0x11
    private static let wordJoiner: [UInt8] = [0xE2, 0x81, 0xA0]
    private static let newlines: Set<Unicode.Scalar> = ["\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"]

    /// - Parameter number: number of the track, from 1.
    static func write(name: String, number: Int, into tracks: inout EBMLBuffer) {
        tracks.master(.trackEntry) { entry in
            entry.unsigned(.trackNumber, UInt64(number))
            entry.unsigned(.trackUID, UInt64(number))
            entry.unsigned(.trackType, trackType)
            // Players show the texts only if their user selects them.
            entry.unsigned(.flagDefault, 0)
            entry.unsigned(.flagLacing, 0)
            entry.string(.name, name)
            entry.string(.language, "und")
            entry.string(.codecID, "S_TEXT/UTF8")
        }
    }

    /// Returns the bytes of a text. The format has tags (`<b>`) and codes (`{\an8}`) and nothing that escapes them. Therefore a word joiner, which is
    /// invisible, follows each of their first characters. Empty lines, and lines of white space, would end a text that is converted to SubRip.
    static func bytes(of text: String) -> [UInt8] {
        var lines: [[UInt8]] = []
        for line in text.unicodeScalars.split(whereSeparator: { newlines.contains($0) }) {
            guard line.contains(where: { !$0.properties.isWhitespace && !isControl($0) }) else { continue }
            lines.append(line.flatMap(bytes))
        }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    private static func bytes(of scalar: Unicode.Scalar) -> [UInt8] {
        if scalar == "\t" { return [UInt8(ascii: " ")] }
        if isControl(scalar) { return [] }
        return Array(String(scalar).utf8) + (scalar == "<" || scalar == "{" ? wordJoiner : [])
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }
}
