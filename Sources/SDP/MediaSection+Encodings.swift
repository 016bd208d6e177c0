import MediaBase

extension MediaSection {
    /// Maximum number of encodings accepted per track.
    static let maximumEncodings = 4

    /// Returns the encodings that a publisher's section announces: its rids; else the SSRCs of its simulcast group; else its first
    /// SSRC; else one entry without rid and SSRC.
    /// - Parameter carriesRIDs: true if packets carry their rid. If they do not, encodings could not be told apart by rid (RFC 8853
    ///   section 5.5), and the section's rids are ignored.
    func encodings(for payloadType: PayloadType, carriesRIDs: Bool) -> [TrackDescription.Encoding] {
        let rids = carriesRIDs ? rids(.sendonly, for: payloadType) : []
        // SDP does not map SSRCs to rids, so the SSRCs are learned from the packets.
        if !rids.isEmpty { return rids.map { TrackDescription.Encoding(rid: $0) } }
        let groups = ssrcGroups
        var sources = groups.first { $0.semantics == "SIM" }?.sources ?? []
        if sources.isEmpty, let pair = groups.first(where: { $0.semantics == "FID" }) { sources = [pair.sources[0]] }
        if sources.isEmpty, let first = lines.attributes("ssrc").first?.value?.fields().first?.decimal(as: UInt32.self)
        {
            sources = [SSRC(first)]
        }
        if sources.isEmpty { return [TrackDescription.Encoding()] }
        return sources.prefix(Self.maximumEncodings).map { source in
            let pair = groups.first { $0.semantics == "FID" && $0.sources[0] == source && $0.sources.count == 2 }
            return TrackDescription.Encoding(ssrc: source, rtxSSRC: pair?.sources[1])
        }
    }

    /// Returns the line of a rid in this direction (RFC 8851 section 10); nil if there is none of that name.
    func ridLine(_ rid: RID, _ direction: MediaDirection) -> SDPLine? {
        lines.first {
            guard $0.name == "rid", let fields = $0.value?.fields(max: 3), fields.count >= 2 else { return false }
            return fields[0] == rid.rawValue && fields[1] == direction.ridWord
        }
    }

    /// Returns the rids in the order of `a=simulcast` (RFC 8853 section 5.1), the first of each list of alternatives. Without that
    /// line, a single rid counts.
    /// - Parameter direction: `sendonly` or `recvonly`.
    func rids(_ direction: MediaDirection, for payloadType: PayloadType) -> [RID] {
        var names: [Substring] = []
        if let line = lines.attribute("simulcast") {
            let fields = (line.value ?? "").fields()
            guard let index = fields.firstIndex(where: { $0 == direction.ridWord }), index + 1 < fields.count else {
                return []
            }
            names = fields[index + 1].fields(";").prefix(16).compactMap { $0.fields(",").first }
        } else if let single = lines.attributes("rid").first?.value?.fields(max: 2).first {
            names = [single]
        }
        var rids: [RID] = []
        for name in names where rids.count < Self.maximumEncodings {
            // A tilde marks an encoding that is initially paused; it may start at any time.
            let name = name.hasPrefix("~") ? name.dropFirst() : name
            guard let rid = RID(name), !rids.contains(rid), let line = ridLine(rid, direction),
                Self.allows(payloadType, line.value ?? "")
            else { continue }
            rids.append(rid)
        }
        return rids
    }

    /// Returns whether a rid's list of payload types, if it has one, contains this one.
    private static func allows(_ payloadType: PayloadType, _ rid: String) -> Bool {
        for restriction in (rid.fields(max: 3).dropFirst(2).first ?? "").fields(";") where restriction.hasPrefix("pt=")
        {
            return restriction.dropFirst(3).fields(",").contains { $0 == payloadType.description }
        }
        return true
    }

    /// `a=ssrc-group` lines (RFC 5576 section 4.2) with at least one source.
    private var ssrcGroups: [(semantics: Substring, sources: [SSRC])] {
        var groups: [(Substring, [SSRC])] = []
        for line in lines where line.name == "ssrc-group" && groups.count < 16 {
            let fields = (line.value ?? "").fields()
            let sources = fields.dropFirst().prefix(8).compactMap { $0.decimal(as: UInt32.self).map { SSRC($0) } }
            if !sources.isEmpty { groups.append((fields[0], sources)) }
        }
        return groups
    }
}

extension MediaDirection {
    /// Direction as written in `a=rid` and `a=simulcast`.
    fileprivate var ridWord: String { sends ? "send" : "recv" }
}
