package import Conference
package import Signaling

/// State of sessions, for diagnosis and tests.
extension ClusterMember {
    /// Returns the session of a name, and its term, if this relay is its home relay.
    package func held(_ key: SessionKey) -> (id: SessionID, term: Int64)? {
        guard let session = sessions[key], !session.isEnding else { return nil }
        return (session.id, session.term)
    }

    /// Whether the relay has no session, and no client waits for one.
    package var isIdle: Bool {
        sessions.isEmpty && keys.isEmpty && unopened.isEmpty && repeats.isEmpty && reclaiming.isEmpty && waiting.isEmpty
            && choosing.isEmpty && finding.isEmpty && lookingUp.isEmpty && waitingCount == 0
    }
}
