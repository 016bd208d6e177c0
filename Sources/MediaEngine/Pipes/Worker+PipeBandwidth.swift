import Forwarding
import MediaBase
import Transport

/// Bandwidth between relays.
extension Worker {
    /// Receiving ends of pipes: acknowledges packets to the sending ends, whose estimators need it.
    func acknowledgePipes(_ now: MediaTime) {
        for pipe in plain.feedback.takeDue(now: now) {
            // All tracks of a pipe come from one address.
            guard let track = pipe.tracks.first, let address = inbound[track].pointee.reportAddress(isShared: true)
            else {
                _ = pipe.takeFeedback(now: now)
                continue
            }
            while let feedback = pipe.takeFeedback(now: now) {
                egress.sendRTCP(feedback, pipe.egressContext, to: PeerAddress(address), .rtp)
            }
        }
    }

    /// Sending ends: runs the timers of a session's pipes.
    func adaptPipes(of session: EngineSession, now: MediaTime, _ quiesced: borrowing Quiesced) {
        guard session.pipes > 0 else { return }
        for pipe in session.subscribers.members where pipe.limit != nil {
            allocator.handleTimeout(pipe, now: now)
            session.limit(pipe, inbound, now: now, quiesced)
        }
    }

    /// Limits a pipe whose estimate has fallen.
    func adapt(pipe: SubscribeTransport, now: MediaTime, _ quiesced: borrowing Quiesced) {
        pipe.session.limit(pipe, inbound, now: now, quiesced)
        carryOut(pipe.session)
    }
}
