import Conference
import Logging
import MediaBase
import MediaEngine
import SDP
import SessionMedia
import Signaling

/// Take-over of the session from its lost home relay: media at the relays of the cluster continues if it belongs to a client in the stored state,
/// is as that state says, and the client has not resumed yet. Everything else is closed.
extension SessionCore {
    /// Begins a take-over.
    /// - Parameter kept: media that this relay had for the previous home relay.
    func takeOver(_ kept: MediaInventory?) {
        guard takeOver.isUnderWay, !conference.isEnded else {
            // The session has ended in the meantime, so that no client has the media.
            if let kept { adopt(kept, at: .home) }
            return carryOutCalls()
        }
        takeOver.begin(after: media.lastTicket, now: time.now)
        // A relay opens a link for each session that it asks for, which costs time when many sessions are taken over at once.
        let isSpread = conference.isSpread || kept != nil
        clusterMedia.takeOver(asking: isSpread ? context.cluster?.others() ?? [:] : [:], now: time.now)
        if let kept { adopt(kept, at: .home) }
        // Starts the timers of the session, and saves what the take-over has changed.
        perform([])
        endTakeOverIfDone()
    }

    /// Calls `then` when clients may enter the session.
    func whenTakenOver(_ then: @escaping () -> Void) {
        if takeOver.isUnderWay { takeOver.wait(then) } else { then() }
    }

    /// Ends the take-over if the media that continues is known, and the mutes of its streams are in force.
    func endTakeOverIfDone() {
        guard takeOver.isUnderWay, !takeOver.isSettling else { return }
        clusterMedia.forgetSilent { context.cluster?.others()[$0] ?? false }
        guard !clusterMedia.isTakingOver || takeOver.isTooLong(now: time.now) else { return }
        takeOver.isSettling = true
        whenCarriedOut(since: takeOver.ticket) { [self] _ in endTakeOver() }
    }

    /// Lets clients enter.
    func endTakeOver() {
        guard takeOver.isUnderWay else { return }
        let waiting = takeOver.finish()
        adoptSubscriptions()
        // Frame sizes, speakers and peers that have ended since.
        if !media.inquiry.peers.isEmpty { missedEvents() }
        for then in waiting { then() }
    }

    func lookAtTakeOver() {
        if takeOver.isLookDue(now: time.now) { endTakeOverIfDone() }
    }

    // MARK: media

    /// Adopts the media of a relay, or closes it.
    func adopt(_ inventory: MediaInventory, at relay: MediaRelay) {
        var adopted = 0
        for peer in inventory.peers {
            if adopt(peer, at: relay) {
                adopted += 1
            } else {
                clusterMedia.discard(peer.id, isPlain: peer.isPlain, at: relay, now: time.now)
            }
        }
        clusterMedia.continuePipes(of: relay, inventory.receivers, inventory.senders, now: time.now)
        // `endTakeOver` asks about those that are known by then.
        if adopted > 0, !takeOver.isUnderWay { missedEvents() }
        guard !inventory.peers.isEmpty else { return }
        logger.info(
            "media continues", metadata: ["relay": "\(relay)", "adopted": "\(adopted)/\(inventory.peers.count)"])
    }

    private func adopt(_ peer: MediaInventory.Peer, at relay: MediaRelay) -> Bool {
        guard !peer.isPlain, let use = peer.use, let client = clients[use.client], client.needsSnapshot,
            client.socket == nil, peer.location == conference.location(of: client.id)
        else { return false }
        switch use {
        case .publishes(_, let description, let streams):
            return adopt(peer.id, description, streams, of: client, at: relay)
        case .subscribes:
            guard media.mayAdopt(peer.id, of: client.id, streams: nil),
                begin(peer.id, isPublisher: false, [], of: client, at: relay)
            else { return false }
            continueSubscriber(peer, of: client.id)
            return true
        }
    }

    /// Continues a subscribe peer connection: with its subscriptions if its negotiation is known, otherwise until its client resumes.
    private func continueSubscriber(_ peer: MediaInventory.Peer, of client: ConnectionID) {
        guard let known = peer.subscriber, media.adoptSubscriber(peer.id, known.negotiation, of: client, now: time.now)
        else { return media.adoptSubscriber(peer.id, of: client) }
        takeOver.add(known, of: client)
        // The relay has answered late.
        if !takeOver.isUnderWay { adoptSubscriptions() }
    }

    /// Continues the subscriptions of adopted peer connections, or ends those to streams that have not survived.
    private func adoptSubscriptions() {
        for (client, known) in takeOver.takeSubscribers() where media.subscriber(of: client) != nil {
            let streams = known.negotiation.subscriptions.map(StreamID.init(rawValue:))
            perform(
                conference.adoptSubscriptions(
                    streams.map { ($0, known.preferences[$0]) }, of: client, now: time.now))
            for (stream, preferences) in conference.subscriptions(of: client) {
                media.mendSubscription(client, stream, preferences)
                if known.unsupported.contains(stream) { handle(.codecSupported(client, stream, false)) }
            }
        }
        continueMedia()
    }

    private func adopt(
        _ peer: PeerID, _ description: PeerDescription, _ streams: [MediaInventory.Stream], of client: LiveConnection,
        at relay: MediaRelay
    ) -> Bool {
        let kinds = Dictionary(streams.map { ($0.id, $0.kinds) }) { first, _ in first }
        let survivors = streams.map {
            SurvivingStream(
                id: $0.id, hasAudio: $0.kinds.contains(.audio), hasVideo: $0.kinds.contains(.video), muted: $0.muted)
        }
        guard conference.mayAdopt(survivors, of: client.id, now: time.now),
            media.mayAdopt(peer, of: client.id, streams: Set(kinds.keys)),
            begin(peer, isPublisher: true, Set(kinds.keys), of: client, at: relay)
        else { return false }
        media.adoptPublisher(peer, description, kinds, of: client.id)
        perform(conference.adopt(survivors, of: client.id, now: time.now))
        return true
    }

    /// Counts a peer for its client, and notes its relay.
    private func begin(
        _ peer: PeerID, isPublisher: Bool, _ streams: Set<StreamID>, of client: LiveConnection, at relay: MediaRelay
    ) -> Bool {
        guard leases.adopt(peer, for: client.lease.holder) else { return false }
        if clusterMedia.adopt(peer, isPublisher: isPublisher, streams, at: relay) { return true }
        leases.end(peer)
        return false
    }
}

extension MediaInventory.Use {
    fileprivate var client: ConnectionID {
        switch self {
        case .publishes(let client, _, _), .subscribes(let client): client
        }
    }
}
