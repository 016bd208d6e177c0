/// Reports of a worker for the placement of sessions.
extension Worker {
    /// Returns whether the worker holds a session of that name, or peers that will open it again when they connect.
    private func holds(_ name: String) -> Bool {
        sessions[name] != nil || peers.unestablishedCount(in: name) > 0
    }

    /// Reports the end of a call that may have opened a session.
    func endOpening(_ name: String) { placement.end(name, isHeld: holds(name)) }

    /// Forgets a session without transports.
    func forgetIfEmpty(_ session: EngineSession) {
        session.shareTransports(unestablished: peers.unestablishedCount(in: session.name))
        guard !session.isPart else { return endPartIfEmpty(session) }
        if sessions.forgetIfEmpty(session) { releaseIfUnused(session.name) }
    }

    /// Lets the next session of that name begin on any worker if this worker holds nothing of it.
    func releaseIfUnused(_ name: String) {
        if !holds(name) { placement.release(name, by: index) }
    }
}
