/// Session description (RFC 8866) as lines. Its text repeats the parsed text, with CRLF line ends and without blank lines.
package struct SessionDescription: Sendable, Hashable, CustomStringConvertible {
    /// Limits for parsing a text that a peer wrote.
    package struct Limits: Sendable, Hashable {
        /// Maximum length in bytes.
        package var length: Int
        package var sections: Int

        package init(length: Int, sections: Int) {
            self.length = length
            self.sections = sections
        }

        /// Limits for the tracks that one peer publishes, and for one stream.
        package static let standard = Limits(length: maximumLength, sections: maximumSections)
        /// Limits for a participant's subscribe peer connection: 200 streams of two tracks, with as many lines as browsers write.
        package static let subscription = Limits(length: 1 << 20, sections: 400)
    }

    /// Maximum length in bytes, of `Limits.standard`.
    package static let maximumLength = 65_536
    package static let maximumSections = 100

    /// Session-level lines, before the first m-line.
    package var lines: [SDPLine]
    package var media: [MediaSection]

    init(lines: [SDPLine], media: [MediaSection]) {
        self.lines = lines
        self.media = media
    }

    /// - Throws: `SDPError` with the line and the reason.
    package init(parsing bytes: some Collection<UInt8>, limits: Limits = .standard) throws(SDPError) {
        try self.init(sectionsOf: bytes, limits: limits)
        guard let first = lines.first, first.type == UInt8(ascii: "v") else { throw .missing(line: 1, field: "v=") }
        guard first.value == "0" else { throw first.error }
        guard let origin = lines.first(where: { $0.type == UInt8(ascii: "o") }) else {
            throw .missing(line: 1, field: "o=")
        }
        guard (origin.value ?? "").fields().count == 6 else { throw origin.error }
    }

    package init(parsing text: String) throws(SDPError) { try self.init(parsing: Array(text.utf8)) }

    /// Parses a text that may be a fragment of a description (RFC 8840 section 9).
    init(sectionsOf bytes: some Collection<UInt8>, limits: Limits = .standard) throws(SDPError) {
        let count = bytes.count
        guard count <= limits.length else { throw .tooLong(bytes: count) }
        lines = []
        media = []
        var number = 0
        for bytes in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard let line = try Self.line(bytes, number: number) else { continue }
            if line.type == UInt8(ascii: "m") {
                guard media.count < limits.sections else { throw .tooManySections(line: number) }
                media.append(try MediaSection(parsing: line))
            } else if media.isEmpty {
                lines.append(line)
            } else {
                media[media.count - 1].lines.append(line)
            }
        }
    }

    /// Parses one line, which may end with CRLF or LF. Returns nil for a blank line.
    private static func line(_ bytes: some Collection<UInt8>, number: Int) throws(SDPError) -> SDPLine? {
        var bytes = Array(bytes)
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        if bytes.isEmpty { return nil }
        guard bytes.count >= 2, bytes[1] == UInt8(ascii: "="),
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[0]),
            !bytes.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") })
        else { throw .malformed(line: number, field: "line") }
        let value = bytes[2...]
        guard bytes[0] == UInt8(ascii: "a") else {
            return SDPLine(type: bytes[0], name: "", value: String(decoding: value, as: UTF8.self), number: number)
        }
        let colon = value.firstIndex(of: UInt8(ascii: ":"))
        let name = String(decoding: value[..<(colon ?? value.endIndex)], as: UTF8.self)
        guard name.isToken else { throw .malformed(line: number, field: "a=") }
        return SDPLine(
            type: bytes[0], name: name, value: colon.map { String(decoding: value[($0 + 1)...], as: UTF8.self) },
            number: number)
    }

    package var text: String {
        var text = ""
        for line in lines { text += line.text + "\r\n" }
        for section in media {
            text += section.text + "\r\n"
            for line in section.lines { text += line.text + "\r\n" }
        }
        return text
    }

    package var description: String { text }

    /// Direction of the sections that have no direction attribute.
    var defaultDirection: MediaDirection { lines.direction ?? .sendrecv }

    /// Returns the direction of a section; without a direction attribute it is that of the session.
    package func direction(of section: MediaSection) -> MediaDirection {
        section.lines.direction ?? defaultDirection
    }

    /// Identifications in the first BUNDLE group; nil if there is no group (RFC 9143 section 7).
    var bundle: [String]? {
        for line in lines.attributes("group") {
            let fields = (line.value ?? "").fields()
            if fields.first == "BUNDLE" { return fields.dropFirst().prefix(media.count).map(String.init) }
        }
        return nil
    }

    /// - Throws: `.repeated` if two sections have the same identification.
    func checkIdentifications() throws(SDPError) {
        var seen: Set<String> = []
        for section in media {
            guard let line = section.lines.attribute("mid") else { continue }
            guard let mid = line.value, mid.isToken else { throw line.error }
            guard seen.insert(mid).inserted else { throw .repeated(line: line.number, field: "a=mid") }
        }
    }
}
