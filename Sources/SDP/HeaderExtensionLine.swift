import RTP

/// An `a=extmap` line of a kind that the relay supports (RFC 8285 section 8).
struct HeaderExtensionLine: Sendable, Hashable {
    var id: UInt8
    /// Nil if the line has none; then the direction of the section applies.
    var direction: MediaDirection?
    var kind: RTPExtensionKind

    init(id: UInt8, direction: MediaDirection? = nil, kind: RTPExtensionKind) {
        self.id = id
        self.direction = direction
        self.kind = kind
    }

    /// Nil for ids that are reserved (0, 15) or only valid in offers (4096 and above), and for unknown URIs.
    init?(_ text: String) {
        let fields = text.fields(max: 3)
        guard fields.count >= 2, let kind = RTPExtensionKind(uri: fields[1]) else { return nil }
        let parts = fields[0].fields("/")
        guard let number = parts.first, let id = number.decimal(as: UInt8.self), id != 0, id != 15 else { return nil }
        self.init(id: id, direction: parts.count > 1 ? MediaDirection(rawValue: String(parts[1])) : nil, kind: kind)
    }

    var text: String { "\(id)" + (direction.map { "/\($0.rawValue)" } ?? "") + " \(kind.uri)" }
}

extension SessionDescription {
    /// Returns the lines of the section and the session-level lines; each id and each kind at most once.
    func headerExtensions(of section: MediaSection) -> [HeaderExtensionLine] {
        var found: [HeaderExtensionLine] = []
        for lines in [section.lines, lines] {
            for line in lines where line.name == "extmap" {
                guard let line = HeaderExtensionLine(line.value ?? ""),
                    !found.contains(where: { $0.id == line.id || $0.kind == line.kind })
                else { continue }
                found.append(line)
            }
        }
        return found
    }
}

extension RTPExtensionKind {
    /// Returns whether the relay uses this extension in a section that it receives (`sending` false) or sends.
    func isUsed(video: Bool, sending: Bool) -> Bool {
        switch self {
        case .mid, .absSendTime, .transportWideCC, .absCaptureTime: true
        case .rid, .repairedRID: video && !sending
        case .audioLevel: !video
        case .playoutDelay, .videoOrientation, .dependencyDescriptor: video
        }
    }
}
