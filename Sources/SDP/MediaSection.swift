import MediaBase

/// An m-line and its attributes (RFC 8866 section 5.14).
package struct MediaSection: Sendable, Hashable {
    /// `audio`, `video`, `application` and others.
    package var media: String
    package var port: UInt16
    /// For example `UDP/TLS/RTP/SAVPF`.
    package var proto: String
    /// Payload types if the protocol is RTP, in the offerer's order of preference.
    package var formats: [String]
    /// Lines below the m-line.
    package var lines: [SDPLine]
    /// Line number of the m-line; 0 for a section that this side made.
    package let number: Int

    package init(
        media: String, port: UInt16, proto: String, formats: [String], lines: [SDPLine] = [], number: Int = 0
    ) {
        self.media = media
        self.port = port
        self.proto = proto
        self.formats = formats
        self.lines = lines
        self.number = number
    }

    init(parsing line: SDPLine) throws(SDPError) {
        let fields = (line.value ?? "").fields()
        // A port count (`9/2`) has no use with rtcp-mux and is dropped.
        guard fields.count >= 4, fields[0].isToken, fields[2].isToken,
            let port = (fields[1].halves("/")?.head ?? String(fields[1])).decimal(as: UInt16.self)
        else { throw line.error }
        self.init(
            media: String(fields[0]), port: port, proto: String(fields[2]), formats: fields[3...].map(String.init),
            number: line.number)
    }

    package var text: String { "m=\(media) \(port) \(proto) " + formats.joined(separator: " ") }

    /// Identification as in the offer; it may be too long for a header extension.
    package var mid: String? { lines.value("mid") }

    /// True for port 0, unless the section shares another section's port (RFC 9143 section 6).
    package var isRejected: Bool { port == 0 && !lines.has("bundle-only") }

    var kind: MediaKind? { MediaKind(rawValue: media) }

    /// True for RTP over SRTP. The protocol names differ by age and transport but mean the same (RFC 8829 section 5.1.2).
    var isSecureRTP: Bool {
        let name = proto.uppercased()
        return name.hasSuffix("RTP/SAVPF") || name.hasSuffix("RTP/SAVP")
    }

    /// Returns an error for a missing field of this section.
    func missing(_ field: String) -> SDPError { .missing(line: number, field: field) }
}
