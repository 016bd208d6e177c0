package import Conference
import MediaBase
package import Signaling

/// Commands of `Conference`, and calls that stop or resume media. These are made at once and do not wait for others.
extension SessionMedia {
    package mutating func command(_ command: MediaCommand) {
        switch command {
        case .setMuted(let stream, let kind, let isMuted):
            // The confirmation of an admission repeats the mutes with which the transport has opened.
            guard !isMuted || !opensMuted(stream, kind) else { return }
            atOnce(.setMuted(stream, kind, isMuted))
        case .unpublish(let stream):
            // A stream without an owner does not exist in the media plane, and another stream may use its name by now.
            guard let owner = owners[stream], disown(stream) else { return }
            if let member = members[owner], member.visitor != nil, let peer = member.publisher?.id {
                // Its transport has no other stream.
                close(peer)
            } else {
                atOnce(.closeStream(stream))
            }
        case .subscribe(let id, let stream, let preferences): queue(.begin(preferences), stream, of: id)
        case .updateSubscription(let id, let stream, let preferences): queue(.change(preferences), stream, of: id)
        case .unsubscribe(let id, let stream): queue(.end, stream, of: id)
        case .relocate(let ids, let location): self.relocate(ids, to: location)
        case .closeMedia(let id): leave(id)
        }
    }

    // MARK: owners

    /// Notes the owner and the tracks of a stream.
    mutating func own(_ stream: StreamID, by owner: ConnectionID, kinds: Set<MediaKind>) {
        owners[stream] = owner
        self.kinds[stream] = kinds
    }

    /// Forgets a stream.
    /// - Returns: whether it had an owner.
    @discardableResult
    mutating func disown(_ stream: StreamID) -> Bool {
        kinds[stream] = nil
        return owners.removeValue(forKey: stream) != nil
    }

    /// Returns whether the transport of a publisher that is being admitted opens with the track muted, and no order has changed that.
    private func opensMuted(_ stream: StreamID, _ kind: TrackKind) -> Bool {
        owners[stream].flatMap { members[$0]?.publishing?.openedMuted.contains(kind) } ?? false
    }

    // MARK: calls

    @discardableResult
    private mutating func atOnce(_ order: MediaOrder) -> MediaTicket {
        let ticket = issue(order, .atOnce(order))
        if case .setMuted(let stream, let kind, _) = order {
            mutes[MutedTrack(stream: stream, kind: kind)] = ticket
            if let owner = owners[stream] { members[owner]?.publishing?.openedMuted.remove(kind) }
        }
        return ticket
    }

    mutating func closeAtOnce(_ peer: PeerID, isPlain: Bool) { atOnce(.closePeer(peer, isPlain: isPlain)) }

    mutating func settleAtOnce(
        _ ticket: MediaTicket, _ order: MediaOrder, _ answer: Result<MediaAnswer, MediaFailure>
    ) {
        let (refusal, repeated) = refusal(ticket, order, answer)
        for i in barriers.indices where barriers[i].pending.remove(ticket) != nil {
            switch (barriers[i].refusal, refusal) {
            case (nil, _), (.noStream, .error): barriers[i].refusal = refusal ?? barriers[i].refusal
            default: break
            }
            if let repeated { barriers[i].pending.insert(repeated) }
        }
        finishBarriers()
    }

    private mutating func finishBarriers() {
        let finished = barriers.filter(\.isFinished)
        guard !finished.isEmpty else { return }
        barriers.removeAll(where: \.isFinished)
        for barrier in finished { finish(barrier) }
    }

    /// Continues work that waits for the end of a publish request.
    mutating func publicationEnded(_ request: MediaRequestID) {
        for i in barriers.indices { barriers[i].publications.remove(request) }
        finishBarriers()
    }

    /// - Returns: error for the requests that wait for the order, and the order that they wait for instead.
    private mutating func refusal(
        _ ticket: MediaTicket, _ order: MediaOrder, _ answer: Result<MediaAnswer, MediaFailure>
    ) -> (MediaRefusal?, MediaTicket?) {
        guard case .setMuted(let stream, let kind, let isMuted) = order else { return (nil, nil) }
        let track = MutedTrack(stream: stream, kind: kind)
        // A later order for the same track decides on its state.
        let isNewest = mutes[track] == ticket
        if isNewest { mutes[track] = nil }
        guard case .failure(let failure) = answer else { return (nil, nil) }
        switch failure.kind {
        // The media plane forwards no media of the stream.
        case .noSession, .noStream, .invalid: return (.noStream(stream), nil)
        case .noPeer, .busy, .other:
            guard isNewest else { return (.error(failure.error), nil) }
            outputs.append(.handle(.muteFailed(stream, kind, isMuted)))
            // `Conference` now takes the track for muted, but an earlier order may have unmuted it: the confirmation of a publish request
            // repeats the unmute.
            return (.error(failure.error), isMuted ? nil : atOnce(.setMuted(stream, kind, true)))
        }
    }

    private mutating func finish(_ barrier: MediaBarrier) {
        switch barrier.work {
        case .request(let request): outputs.append(.done(request, barrier.refusal))
        case .publish(let id): publicationIsMuted(of: id)
        }
    }

    // MARK: waiting

    /// Answers a request when all mutes and closes since `ticket` are done.
    /// - Parameters:
    ///   - ticket: `lastTicket` before the commands.
    ///   - client: sender of the request; nil: an operator.
    package mutating func answer(_ request: MediaRequestID, of client: ConnectionID?, after ticket: MediaTicket) {
        wait(.request(request), of: client, after: ticket)
    }

    mutating func wait(_ work: MediaBarrier.Work, of client: ConnectionID?, after ticket: MediaTicket) {
        let pending = tickets.filter { entry in
            if case .atOnce = entry.value.purpose { entry.key > ticket } else { false }
        }
        var barrier = MediaBarrier(pending: Set(pending.keys), client: client, work: work)
        if case .request = work { barrier.publications = publications(muting: pending.values.map(\.order)) }
        if barrier.isFinished { finish(barrier) } else { barriers.append(barrier) }
    }

    /// Returns the publish requests in progress with streams that the orders mute or unmute.
    private func publications(muting orders: [MediaOrder]) -> Set<MediaRequestID> {
        var muted: Set<StreamID> = []
        for case .setMuted(let stream, _, _) in orders { muted.insert(stream) }
        guard !muted.isEmpty else { return [] }
        let publishing = members.values.lazy.compactMap(\.publishing)
        return Set(publishing.filter { $0.plan?.streams.contains { muted.contains($0.id) } == true }.map(\.id))
    }

    /// Ends the wait for the mutes of a publish request that has failed.
    mutating func leavePublication(of id: ConnectionID) {
        barriers.removeAll { if case .publish(id) = $0.work { true } else { false } }
    }

    mutating func leaveBarriers(_ id: ConnectionID, _ error: MediaRefusal) {
        for barrier in barriers where barrier.client == id {
            if case .request(let request) = barrier.work { outputs.append(.done(request, error)) }
        }
        barriers.removeAll { $0.client == id }
    }
}
