import CLinuxNet
import Forwarding
import MediaBase

/// Subscribers that read the pictures since the last key frame, a few packets a millisecond.
extension Worker {
    static let catchUpInterval = MediaTime.milliseconds(1)

    /// Lists a session in which someone has begun to catch up.
    func noteCatchingUp(_ session: EngineSession) {
        session.router.hasNewCatchUps = false
        guard !session.isCatchingUp else { return }
        session.isCatchingUp = true
        catchingUp.append(session)
    }

    /// Call at `nextCatchUp`: more often than once an interval would overrun the viewers' sockets.
    func catchUp(_ now: MediaTime) {
        forwardAll()
        nextCatchUp = now + Self.catchUpInterval
        var kept = 0
        for i in catchingUp.indices {
            let session = catchingUp[i]
            session.router.catchUp(now: now, into: &batch) { send(&$0, for: session) }
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
}
