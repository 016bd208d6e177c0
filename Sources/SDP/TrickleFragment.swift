package import MediaBase

/// Fragment of a description, `application/trickle-ice-sdpfrag` (RFC 8840 section 9): candidates that were found later, or, with
/// WHIP and WHEP, the credentials of an ICE restart and the answer to it (RFC 9725 section 4.3).
package struct TrickleFragment: Sendable, Hashable {
    /// Additions to one media section.
    package struct Section: Sendable, Hashable {
        package var mid: MID
        /// Kind in the m-line, whose other fields have no meaning here.
        package var kind: MediaKind
        package var candidates: [ICECandidate]
        /// True if no more candidates follow for this section.
        package var endOfCandidates: Bool

        package init(mid: MID, kind: MediaKind, candidates: [ICECandidate] = [], endOfCandidates: Bool = false) {
            self.mid = mid
            self.kind = kind
            self.candidates = candidates
            self.endOfCandidates = endOfCandidates
        }
    }

    /// Credentials of the generation that the candidates belong to; nil if the fragment has none.
    package var credentials: ICECredentials?
    /// True if the side that writes the fragment is ICE-lite.
    package var isLite: Bool
    /// Values of `a=ice-options`, such as `trickle` and `ice2`.
    package var options: [String]
    /// Sections of the description that share one transport; candidates are only those of the first one.
    package var bundle: [MID]
    package var sections: [Section]
    /// True if no more candidates follow for any section.
    package var endOfCandidates: Bool

    package init(
        credentials: ICECredentials?, isLite: Bool = false, options: [String] = [], bundle: [MID] = [],
        sections: [Section], endOfCandidates: Bool = false
    ) {
        self.credentials = credentials
        self.isLite = isLite
        self.options = options
        self.bundle = bundle
        self.sections = sections
        self.endOfCandidates = endOfCandidates
    }

    /// - Throws: `SDPError`. Sections other than audio and video are ignored.
    package init(parsing bytes: some Collection<UInt8>) throws(SDPError) {
        let parts = try SessionDescription(sectionsOf: bytes)
        guard !parts.lines.isEmpty || !parts.media.isEmpty else { throw .missing(line: 1, field: "m=") }
        try parts.checkIdentifications()
        self.init(
            credentials: nil, isLite: parts.lines.has("ice-lite"),
            options: ([parts.lines] + parts.media.map(\.lines)).lazy.compactMap { $0.value("ice-options") }.first?
                .fields().flatMap { $0.fields(",") }.map(String.init) ?? [],
            bundle: Self.bundle(in: parts.lines), sections: [], endOfCandidates: parts.lines.has("end-of-candidates"))
        for lines in [parts.lines] + parts.media.map(\.lines) where credentials == nil {
            credentials = try Self.credentials(in: lines)
        }
        for section in parts.media {
            guard let kind = section.kind else { continue }
            guard let line = section.lines.attribute("mid") else { throw section.missing("a=mid") }
            guard let mid = MID(line.value ?? "") else { throw line.error }
            sections.append(
                Section(
                    mid: mid, kind: kind, candidates: section.lines.candidates,
                    endOfCandidates: section.lines.has("end-of-candidates")))
        }
    }

    package init(parsing text: String) throws(SDPError) { try self.init(parsing: Array(text.utf8)) }

    /// Returns the sections of the first BUNDLE group. Most of them are not in the fragment.
    private static func bundle(in lines: [SDPLine]) -> [MID] {
        let groups = lines.attributes("group").map { ($0.value ?? "").fields() }
        return groups.first { $0.first == "BUNDLE" }?.dropFirst().compactMap { MID(String($0)) } ?? []
    }

    private static func credentials(in lines: [SDPLine]) throws(SDPError) -> ICECredentials? {
        let ufrag = lines.attribute("ice-ufrag")
        let password = lines.attribute("ice-pwd")
        guard let line = ufrag ?? password else { return nil }
        guard let made = ICECredentials(ufrag: ufrag?.value ?? "", password: password?.value ?? "") else {
            throw line.error
        }
        return made
    }

    /// All candidates, without duplicates.
    package var candidates: [ICECandidate] {
        var seen: Set<ICECandidate> = []
        return sections.flatMap(\.candidates).filter { seen.insert($0).inserted }
    }

    package var text: String {
        var lines: [SDPLine] = []
        if isLite { lines.append(SDPLine(attribute: "ice-lite")) }
        if !options.isEmpty { lines.append(SDPLine(attribute: "ice-options", options.joined(separator: " "))) }
        if let credentials {
            lines.append(SDPLine(attribute: "ice-ufrag", credentials.ufrag))
            lines.append(SDPLine(attribute: "ice-pwd", credentials.password))
        }
        if !bundle.isEmpty {
            lines.append(SDPLine(attribute: "group", "BUNDLE " + bundle.map(\.rawValue).joined(separator: " ")))
        }
        if endOfCandidates { lines.append(SDPLine(attribute: "end-of-candidates")) }
        let media = sections.map { section in
            var lines = [SDPLine(attribute: "mid", section.mid.rawValue)]
            lines += section.candidates.map { SDPLine(attribute: "candidate", $0.description) }
            if section.endOfCandidates { lines.append(SDPLine(attribute: "end-of-candidates")) }
            return MediaSection(
                media: section.kind.rawValue, port: 9, proto: "UDP/TLS/RTP/SAVPF", formats: ["0"], lines: lines)
        }
        return SessionDescription(lines: lines, media: media).text
    }
}
