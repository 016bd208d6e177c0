package import Conference
package import Signaling

/// Operation on the store, carried out in one transaction. Each may be repeated.
package enum StoreRequest: Hashable, Sendable {
    /// Writes the relay's row with a new incarnation, and begins its lease.
    case register(RelayDescription, RelayLoad)
    /// Renews the relay's lease, if the incarnation in its row is the caller's.
    case beat(RelayIdentity, RelayLoad)
    /// Deletes the relay's row, if the incarnation in it is the caller's.
    case leave(RelayIdentity)
    /// Makes `home` the home relay of a session without a living one: inserts the session with `newID` and term `minimumTerm`, or takes the
    /// existing session over with the larger of `minimumTerm` and the next term. A session that was placed before is taken over only while
    /// at least half of the relays are alive; relays that were silent for `ClusterSettings.forgetTime` do not count.
    /// If `home` has no row with its incarnation, nothing is claimed (`beatRefused`): after a loss of data, a relay that has not noticed it would
    /// become the home relay of a session that another one still runs.
    case claim(SessionKey, newID: SessionID, home: RelayIdentity, minimumTerm: Int64)
    /// Makes `home` the home relay of an existing session without a living one, under the conditions of `claim`. Inserts nothing.
    case takeOver(SessionID, home: RelayIdentity)
    /// Reads the sessions whose home relay is the caller.
    case held(RelayIdentity)
    /// Deletes a session and its state, if its home relay and term are the caller's.
    case end(SessionID, home: RelayIdentity, term: Int64)
    /// Reads the placement of a session.
    case find(SessionID)
    /// Reads the placement of the session of a name.
    case lookup(SessionKey)
    /// Writes changes of a session's state, if the tenure is the one in the session's row.
    case save(SessionID, SessionTenure, SessionChanges)
    /// Reads the state of a session, if the tenure is the one in the session's row.
    case load(SessionID, SessionTenure)
    /// Reads all relays, and at most `limit` sessions.
    case list(limit: Int)
}
