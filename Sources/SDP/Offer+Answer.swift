package import MediaBase
import RTP

extension Offer {
    /// Returns the answer (RFC 8829 section 5.3): one section for each section of the offer, in its order; sections without a track
    /// are rejected.
    ///
    /// The answer contains all candidates and says that they are complete.
    /// - Parameters:
    ///   - tracks: derived from the result of `receivable`, `sendable` or `publishable`; payload types and ids are taken from them.
    ///   - keepsOthers: true to answer unused sections of the bundle as inactive instead of rejecting them if they could carry a
    ///     track, so that the peer can use them later.
    ///   - allowed: video codecs of such unused sections.
    package func answer(
        _ relay: RelayDescription, tracks: [AnsweredTrack], keepsOthers: Bool = false,
        _ allowed: [VideoCodec] = VideoCodec.allCases
    ) -> SessionDescription {
        var media: [MediaSection] = []
        var mids: [String] = []
        let transport = self.transport(relay)
        let byMID = Dictionary(tracks.map { ($0.track.mid.rawValue, $0) }) { first, _ in first }
        for section in description.media {
            let answered = section.mid.flatMap { byMID[$0] } ?? (keepsOthers ? idle(section, allowed) : nil)
            guard let answered, !section.isRejected else {
                media.append(rejection(of: section, transport))
                continue
            }
            mids.append(answered.track.mid.rawValue)
            media.append(acceptance(of: section, answered, relay, transport))
        }
        var lines = [
            SDPLine("v", "0"), SDPLine("o", "- \(relay.sessionID) 1 IN IP4 0.0.0.0"), SDPLine("s", "-"),
            SDPLine("t", "0 0"),
        ]
        if relay.isLite { lines.append(SDPLine(attribute: "ice-lite")) }
        // An answer may only group sections that the offer groups (RFC 9143 section 7.3).
        if !mids.isEmpty, description.bundle != nil {
            lines.append(SDPLine(attribute: "group", "BUNDLE " + mids.joined(separator: " ")))
        }
        if description.lines.has("extmap-allow-mixed") { lines.append(SDPLine(attribute: "extmap-allow-mixed")) }
        lines.append(SDPLine(attribute: "msid-semantic", "WMS *"))
        return SessionDescription(lines: lines, media: media)
    }

    /// Returns an idle track for a section that could carry one; nil if it could not.
    private func idle(_ section: MediaSection, _ allowed: [VideoCodec]) -> AnsweredTrack? {
        guard var codec = section.preferredCodec(allowed), let mid = MID(section.mid ?? ""),
            bundle.contains(mid.rawValue)
        else { return nil }
        codec.feedback = []
        return .idle(TrackDescription(mid: mid, codecs: [codec]))
    }

    private func acceptance(
        of section: MediaSection, _ answered: AnsweredTrack, _ relay: RelayDescription, _ transport: [SDPLine]
    ) -> MediaSection {
        let track = answered.track
        let address = relay.defaultAddress
        var lines = [SDPLine("c", address.connection)]
        // Candidates in the first section would suffice (RFC 8843 section 10), but some clients read them from whichever section
        // they keep.
        lines += relay.candidates.map { SDPLine(attribute: "candidate", $0.description) }
        lines.append(SDPLine(attribute: "end-of-candidates"))
        lines += transport
        lines.append(SDPLine(attribute: "mid", track.mid.rawValue))
        if section.lines.has("extmap-allow-mixed") { lines.append(SDPLine(attribute: "extmap-allow-mixed")) }
        for line in description.headerExtensions(of: section) where track.extensions[line.kind] == line.id {
            let answer = HeaderExtensionLine(id: line.id, direction: line.direction?.reversed, kind: line.kind)
            lines.append(SDPLine(attribute: "extmap", answer.text))
        }
        switch answered {
        case .receive:
            lines.append(SDPLine(attribute: MediaDirection.recvonly.rawValue))
        case .idle:
            lines.append(SDPLine(attribute: MediaDirection.inactive.rawValue))
        case .send(_, _, _, _, let streamID, let trackID):
            lines.append(SDPLine(attribute: MediaDirection.sendonly.rawValue))
            lines.append(SDPLine(attribute: "msid", "\(streamID.asIdentifier) \(trackID.asIdentifier)"))
        }
        lines.append(SDPLine(attribute: "rtcp-mux"))
        if section.lines.has("rtcp-rsize") { lines.append(SDPLine(attribute: "rtcp-rsize")) }
        lines += codecLines(of: section, answered)
        switch answered {
        case .receive: lines += simulcastLines(of: section, track)
        case .idle: break
        case .send(_, let ssrc, let rtxSSRC, let cname, let streamID, let trackID):
            lines += SDPLine.sources(
                ssrc, rtx: track.retransmits ? rtxSSRC : nil, cname: cname,
                msid: "\(streamID.asIdentifier) \(trackID.asIdentifier)")
        }
        return MediaSection(
            media: section.media, port: address.port, proto: section.proto, formats: formats(of: track, in: section),
            lines: lines)
    }

    /// Returns the payload types of the answer's m-line. Those of audio are in the order of the offer: a browser sends redundant audio only if
    /// the answer lists it before Opus, and the peer has chosen the order.
    private func formats(of track: TrackDescription, in section: MediaSection) -> [String] {
        guard track.kind == .audio else { return track.formats }
        let order = section.codecs.map(\.payloadType.description)
        return track.formats.sorted { a, b in
            order.firstIndex(of: a) ?? order.count < order.firstIndex(of: b) ?? order.count
        }
    }

    /// Returns a section with port 0 (RFC 3264 section 6). Transport and codec have no use there, but some clients refuse a section
    /// without them.
    private func rejection(of section: MediaSection, _ transport: [SDPLine]) -> MediaSection {
        var lines = [SDPLine("c", "IN IP4 0.0.0.0")] + transport
        if let mid = section.mid { lines.append(SDPLine(attribute: "mid", mid)) }
        lines.append(SDPLine(attribute: MediaDirection.inactive.rawValue))
        if section.lines.has("rtcp-mux") { lines.append(SDPLine(attribute: "rtcp-mux")) }
        let format =
            section.preferredCodec(VideoCodec.allCases)?.payloadType.description ?? section.formats.first ?? "0"
        lines += section.lines.filter { $0.name == "rtpmap" && $0.value?.halves(" ")?.head == format }.prefix(1)
        return MediaSection(media: section.media, port: 0, proto: section.proto, formats: [format], lines: lines)
    }

    private func transport(_ relay: RelayDescription) -> [SDPLine] {
        var lines = [
            SDPLine(attribute: "ice-ufrag", relay.credentials.ufrag),
            SDPLine(attribute: "ice-pwd", relay.credentials.password),
        ]
        // A lite agent has no part in nomination, so `renomination` is not among its options.
        let options = ["trickle", "ice2"].filter(hasICEOption)
        if !options.isEmpty { lines.append(SDPLine(attribute: "ice-options", options.joined(separator: " "))) }
        return lines + relay.keying
    }

    private func codecLines(of section: MediaSection, _ answered: AnsweredTrack) -> [SDPLine] {
        let track = answered.track
        let offered = section.codecs.first { $0.payloadType == track.payloadType }?.parameters ?? [:]
        return SDPLine.codec(
            track, sends: answered.sends, minimumPacketTime: offered["minptime"]?.decimal() ?? 10,
            usesDTX: offered["usedtx"] == "1")
    }

    /// Returns rid lines with the offer's restrictions repeated, because an answerer cannot remove them (RFC 8851 section 6.3).
    private func simulcastLines(of section: MediaSection, _ track: TrackDescription) -> [SDPLine] {
        let rids = track.encodings.compactMap(\.rid)
        guard !rids.isEmpty else { return [] }
        var lines = rids.map { rid in
            let restrictions = (section.ridLine(rid, .sendonly)?.value ?? "").fields(max: 3).dropFirst(2).first ?? ""
            let kept = restrictions.fields(";").map { $0.hasPrefix("pt=") ? "pt=\(track.payloadType)" : String($0) }
            return SDPLine(attribute: "rid", "\(rid) recv" + (kept.isEmpty ? "" : " " + kept.joined(separator: ";")))
        }
        if section.lines.has("simulcast") {
            lines.append(
                SDPLine(attribute: "simulcast", "recv " + rids.map(\.rawValue).joined(separator: ";")))
        }
        return lines
    }
}

extension RelayDescription {
    /// Session id in `o=` (RFC 8829 section 5.2.1: 63 bits), a hash of the random ICE fragment.
    var sessionID: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in credentials.ufrag.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash >> 1
    }

    /// Address for the m-lines and c-lines: the first UDP candidate (RFC 8839 section 4.2.1.2).
    var defaultAddress: (connection: String, port: UInt16) {
        guard let first = candidates.first(where: { $0.transport == .udp && $0.address != nil }) else {
            return ("IN IP4 0.0.0.0", 9)
        }
        return ("IN \(first.host.contains(":") ? "IP6" : "IP4") \(first.host)", first.port)
    }
}
