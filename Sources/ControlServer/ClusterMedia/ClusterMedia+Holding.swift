import MediaBase
import SessionMedia
import Signaling

/// Orders that wait for what their relays mirror: those to publish streams, and those to open subscribers of one stream.
extension ClusterMedia {
    mutating func publish(
        _ ticket: MediaTicket, _ order: MediaOrder, at relay: MediaRelay, now: MediaTime
    ) {
        let streams = Set(order.publishedStreams.map(\.rawValue))
        guard !pipes.mirrors(streams, at: relay) else {
            return held.append(
                HeldOrder(
                    ticket: ticket, order: order, relay: relay, condition: .absent(streams),
                    deadline: now + Self.holdTime))
        }
        send(ticket, order, to: relay, now: now)
    }

    /// Opens a subscriber of one stream, which the engine of its relay must have. The home relay, which mirrors all streams, answers if there
    /// is no such stream.
    mutating func view(
        _ ticket: MediaTicket, _ order: MediaOrder, _ stream: StreamID?, at relay: MediaRelay, now: MediaTime
    ) {
        guard case .edge(let edge) = relay, let stream, isPublished(stream) else {
            return send(ticket, order, to: .home, now: now)
        }
        edges[edge] = now + Self.lingerTime
        peers.beginExpecting(at: relay)
        held.append(
            HeldOrder(
                ticket: ticket, order: order, relay: relay, condition: .present(stream),
                deadline: now + Self.presenceTime))
        arrange(now: now)
    }

    /// Returns whether a stream is published, or is about to be.
    private func isPublished(_ stream: StreamID) -> Bool {
        if peers.origin(of: stream) != nil { return true }
        return calls.values.contains { call in
            if case .order(_, let order) = call.purpose { order.publishedStreams.contains(stream) } else { false }
        }
    }

    /// Returns the relay that a held order goes to now; nil if it still waits.
    func destination(of held: HeldOrder, now: MediaTime) -> MediaRelay? {
        switch held.condition {
        case .absent(let streams):
            return held.deadline <= now || !pipes.mirrors(streams, at: held.relay) ? held.relay : nil
        case .present(let stream):
            if peers.origin(of: stream) == held.relay || pipes.has(stream, at: held.relay) { return held.relay }
            return held.deadline <= now || !isPublished(stream) ? .home : nil
        }
    }

    /// Ends the need of a relay for pipes that an order to open a subscriber there has caused: the subscriber is open and keeps them, or it opens
    /// elsewhere.
    mutating func endExpecting(_ order: MediaOrder, at relay: MediaRelay, now: MediaTime) {
        guard order.opensVisitingSubscriber, relay != .home else { return }
        peers.endExpecting(at: relay)
        arrange(now: now)
    }

    /// Returns the admission whose transport a call to a relay opens; nil for other calls.
    func admission(_ id: MediaCallID, at relay: MediaRelay) -> MediaRequestID? {
        guard let call = calls[id], call.relay == relay, case .order(_, .openVisitor(let request, _)) = call.purpose
        else { return nil }
        return request
    }
}
