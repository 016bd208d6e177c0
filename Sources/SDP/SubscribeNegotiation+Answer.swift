package import MediaBase
import RTP

extension SubscribeNegotiation {
    /// Accepts the answer to the open offer.
    /// - Throws: if the answer belongs to another offer, or cannot be used; the offer then stays open.
    package mutating func accept(_ sdp: String, revision: Int, now: MediaTime) throws(SubscribeNegotiationError)
        -> SubscribeAgreement
    {
        guard let open = openOffer, open.revision == revision else { throw .staleOffer(revision: revision) }
        let answers: [SectionAnswer]
        let described: PeerDescription?
        do throws(SDPError) {
            (answers, described) = try read(sdp)
        } catch { throw .answer(error) }
        var agreement = SubscribeAgreement()
        if let described { try adopt(described, &agreement) }
        openOffer = nil
        isOpenForRestart = false
        for (index, answer) in answers.enumerated() { settle(index, answer, &agreement) }
        for refusal in agreement.refused {
            guard let index = requested.firstIndex(where: { $0.stream == refusal.stream }) else { continue }
            requested[index].refused.insert(refusal.kind)
        }
        // Tracks are waiting for a free section, or changed while the offer was open.
        if sections.contains(where: { $0.source != $0.offered }) || hasUnplacedSubscription { noteChange(now) }
        return agreement
    }

    /// The participant's answer to one section.
    private enum SectionAnswer {
        case rejected
        /// The participant does not receive this section, or with none of the offered codecs.
        case inactive
        case takes(TrackDescription)

        var isRejection: Bool {
            switch self {
            case .rejected: true
            case .inactive, .takes: false
            }
        }
    }

    private var hasUnplacedSubscription: Bool {
        var placed: [String: Set<MediaKind>] = [:]
        for section in sections {
            if let source = section.source { placed[source.stream, default: []].insert(section.kind) }
        }
        return requested.contains { !$0.kinds.subtracting($0.refused).isSubset(of: placed[$0.stream] ?? []) }
    }

    private mutating func adopt(_ described: PeerDescription, _ agreement: inout SubscribeAgreement)
        throws(SubscribeNegotiationError)
    {
        if let peer {
            guard described.setup == peer.setup, described.isSameTransport(as: peer),
                isOpenForRestart || described.credentials == peer.credentials
            else { throw .transportChanged }
            if isOpenForRestart { agreement.restarts = described.credentials }
        } else {
            agreement.connects = described
        }
        peer = described
    }

    private mutating func settle(_ index: Int, _ answer: SectionAnswer, _ agreement: inout SubscribeAgreement) {
        let offered = sections[index].offered
        // The subscription, and with it the section's source, may have been removed while the offer was open.
        let isWanted = offered != nil && sections[index].source == offered
        if offered == nil { sections[index].isSettling = false }
        switch answer {
        case .takes(let track):
            guard isWanted, let offered, sections[index].agreed != offered else { return }
            sections[index].agreed = offered
            agreement.added.append(
                SubscriberTrack(
                    stream: offered.stream, track: track, ssrc: offered.ssrc,
                    rtxSSRC: track.retransmits ? offered.rtxSSRC : nil))
        case .inactive, .rejected:
            if isWanted, let offered {
                agreement.refused.append(.init(stream: offered.stream, kind: sections[index].kind))
                if sections[index].agreed != nil { agreement.removed.append(sections[index].mid) }
            }
            sections[index].agreed = nil
            // A client may have stopped a section that it does not accept for good: the section is offered as rejected before it is
            // used again.
            if offered != nil || answer.isRejection { sections[index].isRejected = true }
            if isWanted { sections[index].source = nil }
        }
    }

    // MARK: reading

    /// - Returns: an answer for each section, and the transport; the transport is nil if the participant rejects every section.
    private func read(_ sdp: String) throws(SDPError) -> ([SectionAnswer], PeerDescription?) {
        let description = try SessionDescription(parsing: Array(sdp.utf8), limits: .subscription)
        try description.checkIdentifications()
        guard !description.lines.has("ice-lite") else { throw .bothLite }
        guard description.media.count == sections.count else {
            throw .malformed(line: description.media.last?.number ?? 1, field: "m=")
        }
        let bundle = Set(description.bundle ?? description.media.prefix(1).compactMap(\.mid))
        var answers: [SectionAnswer] = []
        var head: MediaSection?
        for (section, answer) in zip(sections, description.media) {
            guard answer.media == section.kind.rawValue else { throw .malformed(line: answer.number, field: "m=") }
            guard !section.isRejected, !answer.isRejected else {
                answers.append(.rejected)
                continue
            }
            guard answer.mid == section.mid.rawValue else {
                throw answer.mid == nil
                    ? answer.missing("a=mid") : .malformed(line: answer.number, field: "a=mid")
            }
            guard bundle.contains(section.mid.rawValue) else { throw .notBundled(line: answer.number) }
            head = head ?? answer
            let direction = description.direction(of: answer)
            answers.append(
                direction.receives
                    ? take(section, answer, in: description).map { SectionAnswer.takes($0) } ?? .inactive : .inactive)
        }
        guard let head else { return (answers, nil) }
        let isNative = !configuration.relay.cryptos.isEmpty
        let peer = try description.peer(of: head, takesKeys: isNative)
        guard peer.isNative == isNative else { throw head.missing("a=crypto") }
        // Checked before any state changes: an unusable answer leaves the offer open for another answer.
        guard !isNative || self.peer != nil || peer.takesOne(of: configuration.relay.cryptos) else {
            throw .malformed(line: head.number, field: "a=crypto")
        }
        guard isNative || peer.setup != .actpass else { throw .malformed(line: head.number, field: "a=setup") }
        return (answers, peer)
    }

    /// Returns the offered track, reduced to what the answer accepts, with the same numbers. Nil if the answer lacks all codecs.
    private func take(_ section: SubscribeSection, _ answer: MediaSection, in description: SessionDescription)
        -> TrackDescription?
    {
        let track = offered(section)
        let answered = answer.usableCodecs(configuration.videoCodecs)
        let codecs = track.codecs.compactMap { codec -> CodecDescription? in
            guard let other = answered.first(where: { codec.isAnswered(by: $0) }) else { return nil }
            var codec = codec
            if other.rtxPayloadType != codec.rtxPayloadType { codec.rtxPayloadType = nil }
            if other.redPayloadType != codec.redPayloadType { codec.redPayloadType = nil }
            codec.feedback.formIntersection(other.feedback)
            // Chromium requests missing audio if the offer permits it, but its answer does not say so.
            if section.kind == .audio { codec.feedback.insert(.nack) }
            return codec
        }
        guard !codecs.isEmpty else { return nil }
        var extensions = RTPExtensionMap()
        for line in description.headerExtensions(of: answer) where track.extensions[line.kind] == line.id {
            extensions[line.kind] = line.id
        }
        return TrackDescription(mid: track.mid, codecs: codecs, extensions: extensions)
    }
}
