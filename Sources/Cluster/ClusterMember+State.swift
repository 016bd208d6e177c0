package import Conference
package import MediaBase
package import Signaling

/// State of sessions, and its right to be saved.
extension ClusterMember {
    /// Returns the session of a name, and its term, if this relay is its home relay.
    package func held(_ key: SessionKey) -> (id: SessionID, term: Int64)? {
        guard let session = sessions[key], !session.isEnding else { return nil }
        return (session.id, session.term)
    }

    /// Returns the key of a session whose home relay is this one.
    package func key(of id: SessionID) -> SessionKey? { running(id)?.key }

    /// Returns the tenure under which the state of a session is saved and loaded; nil if the relay is not its home relay, or has to claim it again
    /// because the store has lost its data.
    package func tenure(of id: SessionID) -> SessionTenure? {
        guard let identity, let (key, session) = running(id), !reclaiming.contains(key) else { return nil }
        return SessionTenure(home: identity, term: session.term)
    }

    /// Returns whether the store may have state of a session from an earlier home relay.
    package func mayHaveState(_ id: SessionID) -> Bool { running(id)?.session.mayHaveState ?? false }

    /// Notes that the store has refused to save or load a session's state under a tenure. If the relay still believes that it has this tenure, it looks
    /// at once whether another relay has taken the session over, or whether the store has lost its data.
    package mutating func saveRefused(_ id: SessionID, _ tenure: SessionTenure, now: MediaTime) {
        guard self.tenure(of: id) == tenure else { return }
        nextVerification = .zero
        beatAtOnce(now)
    }

    private func running(_ id: SessionID) -> (key: SessionKey, session: HeldSession)? {
        guard let key = keys[id], let session = sessions[key], !session.isEnding else { return nil }
        return (key, session)
    }

    /// Whether the relay has no session, and no client waits for one.
    package var isIdle: Bool {
        sessions.isEmpty && keys.isEmpty && unopened.isEmpty && repeats.isEmpty && reclaiming.isEmpty && waiting.isEmpty
            && choosing.isEmpty && finding.isEmpty && lookingUp.isEmpty && waitingCount == 0
    }
}
