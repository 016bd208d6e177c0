package import MediaBase

/// Offer/answer negotiation of one participant's subscribe peer connection, in which the relay makes the offers (RFC 8829).
/// Subscriptions and answers go in; offers and changes for the media plane come out. No IO and no clock.
///
/// At most one offer is open at a time. Subscriptions made while an offer is open, and those within `coalescing`, share the next
/// offer. Media sections keep their positions; a section that is no longer needed is offered as `inactive`, and is reused once that
/// was answered.
///
/// ```swift
/// var negotiation = SubscribeNegotiation(.init(relay: relay), using: &random)
/// try negotiation.subscribe("camera of Ada", kinds: [.audio, .video], now: now)
/// // at `negotiation.deadline`
/// if let offer = negotiation.takeOffer(now: now) { … }
/// let agreement = try negotiation.accept(answer.sdp, revision: answer.revision, now: now)
/// ```
package struct SubscribeNegotiation: Sendable {
    package struct Configuration: Sendable {
        package var relay: RelayDescription
        /// Video codecs that each video section offers, in this order. Not empty.
        package var videoCodecs: [VideoCodec]
        /// CNAME, the same as in the relay's RTCP (RFC 3550 section 6.5.1).
        package var cname = "millrace"
        /// Time for which a subscription waits for others, to share an offer with them.
        package var coalescing = MediaTime.milliseconds(20)
        package var maximumSubscriptions = 200

        package init(relay: RelayDescription, videoCodecs: [VideoCodec] = VideoCodec.allCases) {
            self.relay = relay
            self.videoCodecs = videoCodecs
        }
    }

    /// A stream that the participant subscribed to.
    struct Subscription: Hashable, Sendable, Codable {
        let stream: String
        var kinds: Set<MediaKind>
        /// Kinds that the participant refused.
        var refused: Set<MediaKind> = []
    }

    var configuration: Configuration
    /// Subscriptions, in the order in which they were made.
    var requested: [Subscription] = []
    var sections: [SubscribeSection] = []
    /// The participant's side of the transport, set by the first answer.
    var peer: PeerDescription?
    /// The offer that has not been answered.
    package internal(set) var openOffer: SubscribeOffer?
    /// True if the open offer is for an ICE restart.
    var isOpenForRestart = false
    var needsRestart = false
    /// Time of the first change that no offer contains yet; nil if there is none.
    var changedAt: MediaTime?
    package internal(set) var revision = 0
    var nextMID = 0
    var sources: SSRCSequence

    /// - Parameter random: generator for the SSRCs; seeded in tests only.
    package init(_ configuration: Configuration, using random: inout some RandomNumberGenerator) {
        self.configuration = configuration
        sources = SSRCSequence(using: &random)
    }

    package var subscriptions: [String] { requested.map(\.stream) }

    /// Returns the kinds of tracks of a subscribed stream.
    package func kinds(of stream: String) -> Set<MediaKind>? { index(of: stream).map { requested[$0].kinds } }

    // MARK: subscriptions

    /// - Throws: `alreadySubscribed`, `limitReached`.
    package mutating func subscribe(_ stream: String, kinds: Set<MediaKind>, now: MediaTime)
        throws(SubscribeNegotiationError)
    {
        guard index(of: stream) == nil else { throw .alreadySubscribed(stream) }
        guard requested.count < configuration.maximumSubscriptions else {
            throw .limitReached(configuration.maximumSubscriptions)
        }
        requested.append(Subscription(stream: stream, kinds: kinds))
        noteChange(now)
    }

    /// Changes the kinds of tracks that a subscribed stream has.
    /// - Returns: sections to detach at once.
    /// - Throws: `notSubscribed`.
    package mutating func setKinds(_ kinds: Set<MediaKind>, of stream: String, now: MediaTime)
        throws(SubscribeNegotiationError) -> [MID]
    {
        guard let index = index(of: stream) else { throw .notSubscribed(stream) }
        guard requested[index].kinds != kinds else { return [] }
        requested[index].kinds = kinds
        requested[index].refused.formIntersection(kinds)
        noteChange(now)
        return release(stream) { !kinds.contains($0) }
    }

    /// - Returns: sections to detach at once.
    /// - Throws: `notSubscribed`.
    package mutating func unsubscribe(_ stream: String, now: MediaTime) throws(SubscribeNegotiationError) -> [MID] {
        guard let index = index(of: stream) else { throw .notSubscribed(stream) }
        requested.remove(at: index)
        noteChange(now)
        return release(stream) { _ in true }
    }

    /// Changes the relay's credentials in the next offer (RFC 8445 section 9). Does nothing if they are the current ones.
    package mutating func restart(_ credentials: ICECredentials, now: MediaTime) {
        guard credentials != configuration.relay.credentials else { return }
        configuration.relay.credentials = credentials
        needsRestart = true
        noteChange(now)
    }

    /// Starts over after the peer connection is gone: the client makes a new one, for which everything is offered again. Revisions
    /// and SSRCs continue.
    package mutating func reset(relay: RelayDescription, now: MediaTime) {
        configuration.relay = relay
        sections = []
        peer = nil
        openOffer = nil
        isOpenForRestart = false
        needsRestart = false
        nextMID = 0
        changedAt = nil
        for index in requested.indices { requested[index].refused = [] }
        if !requested.isEmpty { noteChange(now) }
    }

    /// Time at which to call `takeOffer`; `.never` if an offer is open or nothing has changed.
    package var deadline: MediaTime {
        guard openOffer == nil, let changedAt else { return .never }
        return changedAt + configuration.coalescing
    }

    private func index(of stream: String) -> Int? { requested.firstIndex { $0.stream == stream } }

    mutating func noteChange(_ now: MediaTime) { changedAt = changedAt ?? now }

    private mutating func release(_ stream: String, _ goes: (MediaKind) -> Bool) -> [MID] {
        var released: [MID] = []
        for index in sections.indices where sections[index].source?.stream == stream && goes(sections[index].kind) {
            sections[index].source = nil
            if sections[index].agreed != nil { released.append(sections[index].mid) }
            sections[index].agreed = nil
        }
        return released
    }
}
