import Conference
import MediaBase
import SessionMedia
import Signaling

/// Results of `SessionMedia` on their way up: events for the rules, answers to requests, offers to clients.
extension SessionCore {
    /// Carries out what `SessionMedia` has decided, until there is nothing left.
    func continueMedia() {
        carryOutOrders()
        carryOutCalls()
        guard !isTakingOutputs else { return }
        isTakingOutputs = true
        defer { isTakingOutputs = false }
        while true {
            let outputs = media.takeOutputs(now: time.now)
            if outputs.isEmpty, !media.hasOrders { return }
            // Orders that are refused at once have outputs of their own.
            carryOutOrders()
            for output in outputs { carryOut(output) }
        }
    }

    private func carryOut(_ output: MediaOutput) {
        switch output {
        case .handle(let event):
            handle(event)
            if case .published(_, let stream, _, _, _, _) = event { reportRecording(of: stream) }
        case .offer(let id, let offer): tell(id, .offer(offer))
        case .done(let request, let refusal):
            requests.takeDone(request)?(refusal)
        case .prepare(let request, let id, let streams):
            let newIDs = streams.map { _ in StreamID(rawValue: Secret.id()) }
            let plan = conference.preparePublish(streams, from: id, newIDs: newIDs)
            media.prepared(request, of: id, plan, now: time.now)
        case .confirm(let request, let plan):
            let ticket = media.lastTicket
            // The answer is sent before the events that the publication causes.
            clients[plan.connection]?.isHeld = true
            perform(conference.confirmPublish(plan))
            media.confirmed(request, of: plan.connection, after: ticket)
        case .cancel(let plan): perform(conference.cancelPublish(plan))
        case .published(let request, let result):
            requests.takePublished(request)?(result)
        case .negotiated(let peer, let negotiation):
            clusterMedia.keep(negotiation, of: peer, now: time.now)
            carryOutCalls()
        case .ended(let peer):
            leases.end(peer)
            clusterMedia.ended(peer, now: time.now)
            carryOutCalls()
        }
    }
}
