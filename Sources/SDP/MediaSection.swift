import MediaBase

/// One m-line and what belongs to it (RFC 8866 section 5.14).
package struct MediaSection: Sendable, Hashable {
    /// `audio`, `video`, `application` and others.
    package var media: String
    package var port: UInt16
    /// Such as `UDP/TLS/RTP/SAVPF`.
    package var proto: String
    /// Payload types where the protocol is RTP; the offerer's favourite is first.
    package var formats: [String]
    /// Everything below the m-line.
    package var lines: [SDPLine]
    /// Of the m-line; 0 for a section that we made.
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
        // A count of ports (`9/2`) is of no use with rtcp-mux and not kept.
        guard fields.count >= 4, fields[0].isToken, fields[2].isToken,
            let port = (fields[1].halves("/")?.head ?? String(fields[1])).decimal(as: UInt16.self)
        else { throw line.error }
        self.init(
            media: String(fields[0]), port: port, proto: String(fields[2]), formats: fields[3...].map(String.init),
            number: line.number)
    }

    package var text: String { "m=\(media) \(port) \(proto) " + formats.joined(separator: " ") }

    /// As the offer has it, which may be longer than what a header extension carries.
    package var mid: String? { lines.value("mid") }

    /// Port 0 says that the section is not used, unless it shares another's port (RFC 9143 section 6).
    package var isRejected: Bool { port == 0 && !lines.has("bundle-only") }

    var kind: MediaKind? { MediaKind(rawValue: media) }

    /// RTP over SRTP, keyed by DTLS; the names differ with age and transport and mean the same (RFC 8829 section 5.1.2).
    var isSecureRTP: Bool {
        let name = proto.uppercased()
        return name.hasSuffix("RTP/SAVPF") || name.hasSuffix("RTP/SAVP")
    }

    /// What it is called in errors.
    func missing(_ field: String) -> SDPError { .missing(line: number, field: field) }
}
