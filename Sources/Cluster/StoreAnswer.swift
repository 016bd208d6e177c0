/// Result of a `StoreRequest`.
package enum StoreAnswer: Hashable, Sendable {
    /// `register`: the new identity, and all relays.
    case registered(RelayIdentity, [RelayRecord])
    /// `beat`: all relays.
    case beaten([RelayRecord])
    /// `beat`, `claim` and `takeOver`: the relay's row does not have the caller's incarnation. `isReplaced`: it has another one; otherwise there is no row, because
    /// the store has lost its data.
    case beatRefused(isReplaced: Bool)
    case left
    /// `claim`: the placement that is now in force, which may be another relay's.
    case placed(SessionPlacement)
    case held([SessionPlacement])
    /// `end`: done, also if the session was not there or was another relay's.
    case ended
    /// `find`, `lookup` and `takeOver`: the placement that is now in force; nil if there is no such session.
    case found(SessionPlacement?)
    case saved
    /// `save` and `load`: the session's row has another home relay, incarnation or term, or there is none. Nothing was written.
    case saveRefused
    case loaded(StoredSession)
    case listing([RelayRecord], [SessionPlacement])
}
