import CLinuxNet
import Forwarding
import MediaBase

/// Delivery of the cached frames since the last key frame, a few packets per millisecond.
extension Worker {
    static let catchUpInterval = MediaTime.milliseconds(1)

    /// Lists a session in which a consumer has begun to catch up.
    func noteCatchingUp(_ session: EngineSession) {
        session.router.hasNewCatchUps = false
        guard !session.isCatchingUp else { return }
        session.isCatchingUp = true
        catchingUp.append(session)
    }

    /// Sends the next cached packets. Call at `nextCatchUp`: more than one call per interval would
    /// overflow the subscribers' socket buffers.
    func catchUp(_ now: MediaTime) {
        let quiesced = flush()
        nextCatchUp = now + Self.catchUpInterval
        var kept = 0
        for i in catchingUp.indices {
            let session = catchingUp[i]
            catchUp(session, now, quiesced)
            if session.router.hasDrops { noteDrops(session) }
            guard session.router.isCatchingUp else {
                session.isCatchingUp = false
                continue
            }
            catchingUp[kept] = session
            kept += 1
        }
        catchingUp.removeLast(catchingUp.count - kept)
    }

    private func catchUp(_ session: EngineSession, _ now: MediaTime, _ quiesced: borrowing Quiesced) {
        session.router.catchUp(now: now, into: &batch) { send(&$0, for: session) }
    }
}
