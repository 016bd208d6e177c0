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
    /// invisible, follows each of their first characters. An empty line would end a text that is converted to SubRip.
    static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var isLineEmpty = true
        for scalar in text.unicodeScalars {
            if newlines.contains(scalar) {
                if !isLineEmpty { bytes.append(UInt8(ascii: "\n")) }
                isLineEmpty = true
                continue
            }
            guard scalar.properties.generalCategory != .control else { continue }
            bytes.append(contentsOf: String(scalar).utf8)
            if scalar == "<" || scalar == "{" { bytes.append(contentsOf: wordJoiner) }
            isLineEmpty = false
        }
        while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return bytes
    }
}
