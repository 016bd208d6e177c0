import Conference
import Logging
import MediaEngine
import SessionMedia
import Signaling

/// Orders of `SessionMedia` on their way down to the media engines, and their answers. `SessionCore+Calls` makes the calls.
extension SessionCore {
    /// Passes orders to the engines. Those that must not be overtaken are in the mailbox of this relay's engine on return.
    func carryOutOrders() {
        for (ticket, order) in media.takeOrders() {
            if case .closePeer(let peer, _) = order {
                // Its lease is free for the next transport.
                leases.end(peer)
                logger.info("transport closed", metadata: ["transport": "\(peer)"])
            }
            do throws(EngineError) {
                try lease(ticket, order)
                clusterMedia.order(ticket, order, at: relay(for: order), now: time.now)
            } catch {
                settle(ticket, order, .failure(error))
            }
            // One by one, so that orders that must not be overtaken are begun in their order.
            carryOutCalls()
        }
    }

    /// Counts the transport that an order opens, if it opens one.
    private func lease(_ ticket: MediaTicket, _ order: MediaOrder) throws(EngineError) {
        switch order {
        case .openVisitor(let request, _):
            guard let visit = visits[request] else { throw .unknownTransport("") }
            leases.begin(ticket, visit.leases)
        case .openPublisher(let id, _, _), .openSubscriber(let id, _):
            guard let client = clients[id] else { throw .unknownTransport("") }
            try leases.begin(ticket, for: client.lease.holder)
        default: break
        }
    }

    /// Passes the outcome of an order on to `SessionMedia`.
    func settle(_ ticket: MediaTicket, _ order: MediaOrder, _ answer: Result<MediaAnswer, EngineError>) {
        switch answer {
        case .success(let answer):
            leases.settle(ticket, answer.peer)
            if let peer = answer.peer { logOpened(peer, order) }
        case .failure(let error):
            leases.settle(ticket, nil)
            log(error, order)
            if case .openVisitor(let request, _) = order { visits[request]?.failure = error }
        }
        media.settle(ticket, answer.mapError(MediaFailure.init), now: time.now)
    }

    private func logOpened(_ peer: PeerID, _ order: MediaOrder) {
        switch order {
        case .openPublisher(let id, _, _), .openSubscriber(let id, _):
            logger.info("transport opened", metadata: ["connection": "\(id)", "transport": "\(peer)"])
        // The endpoints log the transports that they open.
        default: break
        }
    }

    private func log(_ error: EngineError, _ order: MediaOrder) {
        switch (error, order) {
        // The object is gone already.
        case (.unknownSession, _), (.unknownStream, _), (.unknownTransport, _), (.stopped, _): break
        case (_, .setMuted(let stream, _, _)):
            logger.error(
                "media engine could not change a mute", metadata: ["stream": "\(stream)", "error": "\(error)"])
        case (_, .closeStream), (_, .closePeer):
            logger.error("media engine could not close a transport or stream", metadata: ["error": "\(error)"])
        // Its client gets the error.
        case (_, .openVisitor): break
        default: logger.notice("media engine refused a call", metadata: ["error": "\(error)"])
        }
    }
}
