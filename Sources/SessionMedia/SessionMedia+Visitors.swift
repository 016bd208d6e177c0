package import Conference
package import MediaBase
package import Signaling

/// Clients without a control connection (WHIP, WHEP, plain SRTP). A publisher is a member whose admission is its only publish request; a
/// subscriber has a transport and nothing else.
extension SessionMedia {
    // MARK: state

    /// Returns whether the peer is a plain transport.
    package func isPlain(_ peer: PeerID) -> Bool {
        guard let id = peers[peer] else { return false }
        return visitingSubscribers[id]?.isPlain ?? members[id]?.visitor?.isPlain ?? false
    }

    /// Plain publishers, by stream.
    var plainPublishers: [StreamID: PeerID] {
        var publishers: [StreamID: PeerID] = [:]
        for stream in owners.keys {
            if let peer = publisher(of: stream), isPlain(peer) { publishers[stream] = peer }
        }
        return publishers
    }

    /// WebRTC peers of all clients.
    var webRTCPeers: [PeerID] { peers.keys.filter { !isPlain($0) } }

    /// Number of WebRTC peers without a control connection.
    package var visitingPeerCount: Int {
        peers.count { peer, id in (visitingSubscribers[id] != nil || members[id]?.visitor != nil) && !isPlain(peer) }
    }

    // MARK: admission

    /// Returns the publisher whose stream a client may take over if `Conference` agrees; nil: none.
    ///
    /// - Throws: `streamExists` if it can neither publish under this name nor take the stream over.
    package func holder(for visitor: MediaVisitor) throws(SignalingError) -> ConnectionID? {
        guard case .publish(let stream, _) = visitor.purpose else { return nil }
        let holder = owners[stream]
        guard !isOpening(stream), holder.map({ isReplaceable($0, by: visitor) }) ?? true else {
            throw SignalingError(.streamExists, "the session has a stream \"\(stream)\" already", field: "stream")
        }
        return holder
    }

    /// Returns whether the media plane may still open a transport for a stream of this name. After the end of its publisher, the transport
    /// is closed as soon as it is known; until then another one could not have the name.
    private func isOpening(_ stream: StreamID) -> Bool {
        tickets.values.contains { entry in
            if case .openVisitor(_, let visitor) = entry.order, case .publish(stream, _) = visitor.purpose {
                true
            } else {
                false
            }
        }
    }

    /// Returns whether the visitor may replace the owner of a stream if `Conference` agrees. A publisher that is still being admitted
    /// cannot be replaced.
    private func isReplaceable(_ owner: ConnectionID, by visitor: MediaVisitor) -> Bool {
        guard let member = members[owner], member.visitor?.isPlain == visitor.isPlain else { return false }
        return member.publishing == nil && member.publisher != nil
    }

    /// Opens the transport of a subscriber that `Conference` has admitted. The request is answered when it is open.
    package mutating func open(_ visitor: MediaVisitor, _ request: MediaRequestID, now: MediaTime) {
        let ticket = issue(.openVisitor(request, visitor), .openVisitor(visitor))
        visitingSubscribers[visitor.connection] = VisitingSubscriber(
            isPlain: visitor.isPlain, opening: (request, ticket))
        limitTime(of: request, visitor.connection, now: now)
    }

    /// Opens the transport of a publisher that `Conference` has admitted, with the mutes of its stream. The request is answered when they
    /// are in force. From then on another publisher may take over the stream.
    ///
    /// - Parameters:
    ///   - holder: publisher whose stream it takes over; nil: none.
    ///   - plan: stream that `Conference` has reserved.
    package mutating func open(
        _ visitor: MediaVisitor, _ request: MediaRequestID, replacing holder: ConnectionID?,
        _ plan: Result<PublishPlan, SignalingError>, now: MediaTime
    ) {
        var visitor = visitor
        if let holder {
            visitor.connection = holder
            guard let member = members[holder] else {
                if case .success(let plan) = plan { outputs.append(.cancel(plan)) }
                return outputs.append(.done(request, .ended))
            }
            // The media plane ends the old publication before it handles the new one of this name.
            if let old = member.publisher?.id { close(old) }
        }
        let id = visitor.connection
        members[id] = MediaMember(visitor: visitor, publishing: Publishing(request, visitor))
        switch plan {
        case .failure(let error): endPublishing(id, .error(error))
        case .success(let plan):
            members[id]?.publishing?.plan = plan
            limitTime(of: request, id, now: now)
            for stream in plan.streams { open(visitor, request, for: stream) }
        }
    }

    private mutating func open(_ visitor: MediaVisitor, _ request: MediaRequestID, for stream: PublishPlan.Stream) {
        let id = visitor.connection
        var visitor = visitor
        // From now on no other publisher gets the name.
        own(stream.id, by: id, kinds: stream.kinds)
        if !visitor.isPlain {
            visitor.startsMuted = stream.startsMuted
            // The failure of an order that is in progress would change the mute.
            members[id]?.publishing?.openedMuted = stream.startsMuted.filter {
                mutes[MutedTrack(stream: stream.id, kind: $0)] == nil
            }
        }
        let ticket = issue(.openVisitor(request, visitor), .openVisitor(visitor))
        members[id]?.publishing?.ticket = ticket
    }

    mutating func openedVisitor(
        _ ticket: MediaTicket, _ visitor: MediaVisitor, _ answer: Result<MediaAnswer, MediaFailure>
    ) {
        let id = visitor.connection
        switch answer {
        case .success(.visitor(let peer, let codec, let kinds)):
            if members[id]?.publishing?.ticket == ticket {
                peers[peer] = id
                members[id]?.publisher = PublishPeer(id: peer, peer: nil)
                members[id]?.publishing?.adopt(codec, kinds)
                if goneEarly.contains(peer) { members[id]?.publishing?.held.append(.gone(peer)) }
                agreed(id)
            } else if visitingSubscribers[id]?.opening?.ticket == ticket {
                peers[peer] = id
                visitingSubscribers[id]?.peer = peer
                answerVisitingSubscriber(id, nil)
                if goneEarly.contains(peer) { endVisitor(peer, .networkLost) }
            } else {
                discard(peer, isPlain: visitor.isPlain)
            }
        case .success: break
        case .failure(let failure):
            if members[id]?.publishing?.ticket == ticket {
                endPublishing(id, .error(failure.error))
            } else if visitingSubscribers[id]?.opening?.ticket == ticket {
                refuseVisitingSubscriber(id, .error(failure.error))
            }
        }
    }

    /// Ends a publisher whose admission was refused.
    mutating func refuse(_ visitor: MediaVisitor, _ id: ConnectionID) {
        // The media plane does not have its stream, or has closed its transport.
        if case .publish(let stream, _) = visitor.purpose, owners[stream] == id { disown(stream) }
        outputs.append(.handle(.publisherLeft(id, .left)))
    }

    /// Announces the stream of a plain publisher without waiting for its first packet.
    mutating func announce(_ visitor: MediaVisitor, _ id: ConnectionID) {
        guard case .publish(let stream, _) = visitor.purpose, let peer = members[id]?.publisher?.id else { return }
        began(stream, by: peer)
    }

    // MARK: the end

    /// Handles the end of a transport that its endpoint has closed.
    package mutating func left(_ peer: PeerID) { endVisitor(peer, .left) }

    /// Ends a client whose transport no longer exists.
    mutating func endVisitor(_ peer: PeerID, _ reason: DisconnectReason) {
        guard let id = peers[peer] else { return }
        if visitingSubscribers[id] != nil {
            forget(peer)
            visitingSubscribers[id] = nil
            outputs.append(.handle(.subscriberLeft(id)))
        } else if members[id]?.visitor != nil {
            forget(peer)
            outputs.append(.handle(.publisherLeft(id, reason)))
        }
    }

    /// Ends a subscriber that `Conference` has removed.
    mutating func leaveVisitingSubscriber(_ id: ConnectionID) {
        if let peer = visitingSubscribers[id]?.peer { close(peer) }
        answerVisitingSubscriber(id, .ended)
        visitingSubscribers[id] = nil
    }

    private mutating func refuseVisitingSubscriber(_ id: ConnectionID, _ refusal: MediaRefusal) {
        answerVisitingSubscriber(id, refusal)
        visitingSubscribers[id] = nil
        outputs.append(.handle(.subscriberLeft(id)))
    }

    private mutating func answerVisitingSubscriber(_ id: ConnectionID, _ refusal: MediaRefusal?) {
        guard let request = visitingSubscribers[id]?.opening?.request else { return }
        visitingSubscribers[id]?.opening = nil
        endTime(of: request)
        outputs.append(.done(request, refusal))
    }

    /// Ends the admission of a subscriber that the media plane has not answered in time.
    ///
    /// - Returns: whether the request is that of a subscriber.
    mutating func expireVisitingSubscriber(_ id: ConnectionID, _ request: MediaRequestID, _ refusal: MediaRefusal)
        -> Bool
    {
        guard visitingSubscribers[id]?.opening?.request == request else { return false }
        refuseVisitingSubscriber(id, refusal)
        return true
    }
}
