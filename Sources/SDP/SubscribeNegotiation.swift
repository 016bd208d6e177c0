package import MediaBase

/// Offer and answer of one participant's subscribe peer connection, in which the relay makes the offers (RFC 8829): wishes go in, offers
/// come out, answers go in, and what the media plane has to do comes out. No IO and no clock.
///
/// At most one offer is open at a time. Wishes meanwhile, and those within `coalescing`, share the next. Media sections keep their places; one that
/// is not needed any more is offered `inactive`, and used again once that was answered.
///
/// ```swift
/// var negotiation = SubscribeNegotiation(.init(relay: relay), using: &random)
/// try negotiation.subscribe("camera of Ada", kinds: [.audio, .video], now: now)
/// // when `negotiation.deadline` has come
/// if let offer = negotiation.takeOffer(now: now) { … }
/// let agreement = try negotiation.accept(answer.sdp, revision: answer.revision, now: now)
/// ```
package struct SubscribeNegotiation: Sendable {
    package struct Configuration: Sendable {
        package var relay: RelayDescription
        /// As in the relay's RTCP (RFC 3550 section 6.5.1).
        package var cname = "millrace"
        /// How long wishes wait for others.
        package var coalescing = MediaTime.milliseconds(20)
        package var maximumSubscriptions = 200

        package init(relay: RelayDescription) { self.relay = relay }
    }

    /// A stream that is subscribed to.
    struct Wish: Sendable {
        let stream: String
        var kinds: Set<MediaKind>
        /// The participant does not take them.
        var refused: Set<MediaKind> = []
    }

    var configuration: Configuration
    /// In the order in which they came.
    var wishes: [Wish] = []
    var sections: [SubscribeSection] = []
    /// The participant's side of the transport, from the first answer on.
    var peer: PeerDescription?
    /// The offer that has not been answered.
    package internal(set) var openOffer: SubscribeOffer?
    /// It is for an ICE restart.
    var isOpenForRestart = false
    var needsRestart = false
    /// Since when something has changed that no offer has said; nil: nothing.
    var changedAt: MediaTime?
    var revision = 0
    var nextMID = 0
    var sources: SSRCSequence

    /// - Parameter random: of SSRCs; a seeded one for tests only.
    package init(_ configuration: Configuration, using random: inout some RandomNumberGenerator) {
        self.configuration = configuration
        sources = SSRCSequence(using: &random)
    }

    package var subscriptions: [String] { wishes.map(\.stream) }

    // MARK: wishes

    /// - Throws: `alreadySubscribed`, `limitReached`.
    package mutating func subscribe(_ stream: String, kinds: Set<MediaKind>, now: MediaTime)
        throws(SubscribeNegotiationError)
    {
        guard place(of: stream) == nil else { throw .alreadySubscribed(stream) }
        guard wishes.count < configuration.maximumSubscriptions else {
            throw .limitReached(configuration.maximumSubscriptions)
        }
        wishes.append(Wish(stream: stream, kinds: kinds))
        noteChange(now)
    }

    /// The stream has other kinds of tracks now.
    /// - Returns: sections to be detached at once.
    /// - Throws: `notSubscribed`.
    package mutating func setKinds(_ kinds: Set<MediaKind>, of stream: String, now: MediaTime)
        throws(SubscribeNegotiationError) -> [MID]
    {
        guard let place = place(of: stream) else { throw .notSubscribed(stream) }
        guard wishes[place].kinds != kinds else { return [] }
        wishes[place].kinds = kinds
        wishes[place].refused.formIntersection(kinds)
        noteChange(now)
        return release(stream) { !kinds.contains($0) }
    }

    /// - Returns: sections to be detached at once.
    /// - Throws: `notSubscribed`.
    package mutating func unsubscribe(_ stream: String, now: MediaTime) throws(SubscribeNegotiationError) -> [MID] {
        guard let place = place(of: stream) else { throw .notSubscribed(stream) }
        wishes.remove(at: place)
        noteChange(now)
        return release(stream) { _ in true }
    }

    /// The next offer carries new credentials of the relay's (RFC 8445 section 9); those that offers have already are no restart.
    package mutating func restart(_ credentials: ICECredentials, now: MediaTime) {
        guard credentials != configuration.relay.credentials else { return }
        configuration.relay.credentials = credentials
        needsRestart = true
        noteChange(now)
    }

    /// The peer connection is gone: the client makes a new one, for which everything is offered anew. Revisions and SSRCs go on.
    package mutating func reset(relay: RelayDescription, now: MediaTime) {
        configuration.relay = relay
        sections = []
        peer = nil
        openOffer = nil
        isOpenForRestart = false
        needsRestart = false
        nextMID = 0
        changedAt = nil
        for place in wishes.indices { wishes[place].refused = [] }
        if !wishes.isEmpty { noteChange(now) }
    }

    /// When `takeOffer` has something.
    package var deadline: MediaTime {
        guard openOffer == nil, let changedAt else { return .never }
        return changedAt + configuration.coalescing
    }

    private func place(of stream: String) -> Int? { wishes.firstIndex { $0.stream == stream } }

    mutating func noteChange(_ now: MediaTime) { changedAt = changedAt ?? now }

    private mutating func release(_ stream: String, _ goes: (MediaKind) -> Bool) -> [MID] {
        var released: [MID] = []
        for place in sections.indices where sections[place].source?.stream == stream && goes(sections[place].kind) {
            sections[place].source = nil
            if sections[place].agreed != nil { released.append(sections[place].mid) }
            sections[place].agreed = nil
        }
        return released
    }
}
