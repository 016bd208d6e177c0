package import MediaBase

extension SubscribeNegotiation {
    /// Returns the next offer, which is then open; nil before `deadline`, or if there is nothing to offer.
    package mutating func takeOffer(now: MediaTime) -> SubscribeOffer? {
        guard now >= deadline else { return nil }
        changedAt = nil
        assign()
        guard needsRestart || sections.contains(where: { $0.source != $0.offered }) else { return nil }
        // A transport that does not exist yet needs no restart, and a description without sections has no transport.
        guard !sections.isEmpty else {
            needsRestart = false
            return nil
        }
        for index in sections.indices {
            if sections[index].offered != nil, sections[index].source == nil { sections[index].isSettling = true }
            sections[index].offered = sections[index].source
        }
        isOpenForRestart = needsRestart && peer != nil
        needsRestart = false
        revision += 1
        let offer = SubscribeOffer(revision: revision, sdp: text(), streams: streams())
        openOffer = offer
        return offer
    }

    /// Assigns a section to each subscribed track: a free one, else a new one. If all are in use, the track waits for the next answer.
    private mutating func assign() {
        var carried: Set<Carried> = []
        var free: [MediaKind: [Int]] = [:]
        var count: [MediaKind: Int] = [:]
        for (index, section) in sections.enumerated().reversed() {
            count[section.kind, default: 0] += 1
            if let source = section.source {
                carried.insert(Carried(stream: source.stream, kind: section.kind))
            } else if section.isFree {
                free[section.kind, default: []].append(index)
            }
        }
        for subscription in requested {
            for kind in MediaKind.allCases
            where subscription.kinds.contains(kind) && !subscription.refused.contains(kind) {
                guard !carried.contains(Carried(stream: subscription.stream, kind: kind)) else { continue }
                if let index = free[kind]?.popLast() {
                    if sections[index].isRejected { sections[index].mid = makeMID() }
                    sections[index].isRejected = false
                    sections[index].source = makeSource(subscription.stream, kind)
                } else if count[kind, default: 0] < configuration.maximumSubscriptions {
                    count[kind, default: 0] += 1
                    var section = SubscribeSection(mid: makeMID(), kind: kind)
                    section.source = makeSource(subscription.stream, kind)
                    sections.append(section)
                }
            }
        }
    }

    private struct Carried: Hashable {
        let stream: String
        let kind: MediaKind
    }

    private mutating func makeMID() -> MID {
        defer { nextMID += 1 }
        return MID(number: nextMID)
    }

    private mutating func makeSource(_ stream: String, _ kind: MediaKind) -> SubscribeSection.Source {
        SubscribeSection.Source(
            stream: stream, ssrc: sources.next(), rtxSSRC: kind == .video ? sources.next() : nil)
    }

    private func streams() -> [SubscribeOffer.Stream] {
        var mids: [String: SubscribeOffer.Stream] = [:]
        for section in sections {
            guard let stream = section.source?.stream else { continue }
            switch section.kind {
            case .audio: mids[stream, default: .init(id: stream)].audioMid = section.mid.rawValue
            case .video: mids[stream, default: .init(id: stream)].videoMid = section.mid.rawValue
            }
        }
        return requested.compactMap { mids[$0.stream] }
    }

    // MARK: text

    private func text() -> String {
        let mids = sections.filter { !$0.isRejected }.map(\.mid.rawValue)
        var lines = [
            SDPLine("v", "0"), SDPLine("o", "- \(configuration.relay.sessionID) \(revision) IN IP4 0.0.0.0"),
            SDPLine("s", "-"), SDPLine("t", "0 0"), SDPLine(attribute: "ice-lite"),
        ]
        if !mids.isEmpty { lines.append(SDPLine(attribute: "group", "BUNDLE " + mids.joined(separator: " "))) }
        lines += [SDPLine(attribute: "extmap-allow-mixed"), SDPLine(attribute: "msid-semantic", "WMS *")]
        let transport = transport
        let media = sections.map { $0.isRejected ? rejected($0) : live($0, transport) }
        return SessionDescription(lines: lines, media: media).text
    }

    private var transport: [SDPLine] {
        let relay = configuration.relay
        // Repeated in each section, because some clients read them from whichever section they keep.
        return relay.candidates.map { SDPLine(attribute: "candidate", $0.description) } + [
            SDPLine(attribute: "end-of-candidates"), SDPLine(attribute: "ice-ufrag", relay.credentials.ufrag),
            SDPLine(attribute: "ice-pwd", relay.credentials.password), SDPLine(attribute: "ice-options", "ice2"),
        ] + relay.keying(.actpass)
    }

    private func live(_ section: SubscribeSection, _ transport: [SDPLine]) -> MediaSection {
        let address = configuration.relay.defaultAddress
        let track = offered(section)
        let direction: MediaDirection = section.offered == nil ? .inactive : .sendonly
        var lines = [SDPLine("c", address.connection)] + transport
        lines.append(SDPLine(attribute: "mid", section.mid.rawValue))
        lines += SDPLine.extensions(track.extensions)
        lines.append(SDPLine(attribute: direction.rawValue))
        let msid = section.offered.map { "\($0.stream.asIdentifier) \(section.kind.rawValue)-\($0.ssrc)" }
        if let msid { lines.append(SDPLine(attribute: "msid", msid)) }
        lines += [SDPLine(attribute: "rtcp-mux"), SDPLine(attribute: "rtcp-rsize")]
        lines += SDPLine.codec(track, sends: true)
        if let source = section.offered, let msid {
            lines += SDPLine.sources(source.ssrc, rtx: source.rtxSSRC, cname: configuration.cname, msid: msid)
        }
        return MediaSection(
            media: section.kind.rawValue, port: address.port, proto: configuration.relay.proto,
            formats: track.formats, lines: lines)
    }

    /// Returns a rejected section, which keeps its position (RFC 8829 section 5.2.2).
    private func rejected(_ section: SubscribeSection) -> MediaSection {
        let track = offered(section)
        let lines = [
            SDPLine("c", "IN IP4 0.0.0.0"), SDPLine(attribute: "mid", section.mid.rawValue),
            SDPLine(attribute: MediaDirection.inactive.rawValue), SDPLine(attribute: "rtcp-mux"),
        ]
        return MediaSection(
            media: section.kind.rawValue, port: 0, proto: configuration.relay.proto,
            formats: [track.payloadType.description], lines: lines + SDPLine.codec(track, sends: true).prefix(1))
    }

    /// Returns the track that a section offers; its numbers are the same in all offers.
    func offered(_ section: SubscribeSection) -> TrackDescription {
        var track = TrackDescription.offered(section.kind, codecs: configuration.videoCodecs)
        track.mid = section.mid
        if section.kind == .audio { track.codecs[0].redPayloadType = CodecDescription.offeredRED }
        return track
    }
}
