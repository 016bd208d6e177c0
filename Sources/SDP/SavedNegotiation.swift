package import MediaBase

/// State of the negotiation of a subscribe peer connection, for another relay that continues it. No offer is open; subscriptions and ends that no
/// offer contains yet are part of it.
package struct SavedNegotiation: Hashable, Sendable, Codable {
    let relay: RelayDescription
    let videoCodecs: [VideoCodec]
    let requested: [SubscribeNegotiation.Subscription]
    let sections: [SubscribeSection]
    let peer: PeerDescription
    let needsRestart: Bool
    let revision: Int
    let nextMID: Int
    let sources: SSRCSequence

    /// Largest revision and number of a section that is read.
    private static let maximumNumber = Int(Int32.max)

    /// Number of media sections, which determines the size.
    package var sectionCount: Int { sections.count }
    /// Streams in the order of their subscriptions.
    package var subscriptions: [String] { requested.map(\.stream) }
    package var isNative: Bool { peer.isNative }

    /// Whether another relay's text describes a negotiation that can have happened, so that it can be continued.
    func isConsistent(maximumSubscriptions: Int) -> Bool {
        guard !videoCodecs.isEmpty, Set(videoCodecs).count == videoCodecs.count,
            (1...Self.maximumNumber).contains(revision), (0...Self.maximumNumber).contains(nextMID),
            peer.isNative == !relay.cryptos.isEmpty, requested.count <= maximumSubscriptions,
            Set(subscriptions).count == requested.count, !sections.isEmpty,
            sections.count / MediaKind.allCases.count <= maximumSubscriptions,
            Set(sections.map(\.mid)).count == sections.count
        else { return false }
        var free = Dictionary(requested.map { ($0.stream, $0.kinds) }) { first, _ in first }
        return sections.allSatisfy { section in
            // New sections get the following numbers.
            guard Int(section.mid.rawValue).map({ $0 < nextMID }) ?? false else { return false }
            guard let source = section.source else { return section.agreed == nil }
            // A section of a stream without subscription would never end.
            return (section.agreed == nil || section.agreed == source)
                && free[source.stream]?.remove(section.kind) != nil
        }
    }
}

extension SubscribeNegotiation {
    /// Negotiation for another relay; nil before the first answer, and while an offer is open.
    package var saved: SavedNegotiation? {
        guard let peer, openOffer == nil else { return nil }
        return SavedNegotiation(
            relay: configuration.relay, videoCodecs: configuration.videoCodecs, requested: requested,
            sections: sections, peer: peer, needsRestart: needsRestart, revision: revision, nextMID: nextMID,
            sources: sources)
    }

    /// Streams that the client receives.
    package var agreedStreams: Set<String> { Set(sections.compactMap { $0.agreed?.stream }) }

    /// Kinds of each stream that the client refused.
    package var refusedKinds: [String: Set<MediaKind>] {
        let refusing = requested.lazy.filter { !$0.refused.isEmpty }
        return Dictionary(refusing.map { ($0.stream, $0.refused) }) { first, _ in first }
    }

    /// Continues the negotiation of another relay; nil if it is inconsistent, or has more subscriptions than are allowed here.
    package init?(continuing saved: SavedNegotiation, maximumSubscriptions: Int, now: MediaTime) {
        guard saved.isConsistent(maximumSubscriptions: maximumSubscriptions) else { return nil }
        configuration = Configuration(relay: saved.relay, videoCodecs: saved.videoCodecs)
        configuration.maximumSubscriptions = maximumSubscriptions
        (requested, sections, peer) = (saved.requested, saved.sections, saved.peer)
        (needsRestart, revision, nextMID) = (saved.needsRestart, saved.revision, saved.nextMID)
        sources = saved.sources
        // The next offer contains the changes since the latest one, if there are any.
        changedAt = now
    }
}
