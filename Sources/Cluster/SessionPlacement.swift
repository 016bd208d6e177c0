package import Conference
package import Signaling

/// Row of a session in the store: the relay that runs its rules.
package struct SessionPlacement: Hashable, Sendable {
    package var key: SessionKey
    package var id: SessionID
    package var home: RelayIdentity
    /// Number of the session's home relays so far, this one included.
    package var term: Int64
    /// Whether the home relay was alive when the store answered.
    package var isHomeAlive: Bool

    package init(key: SessionKey, id: SessionID, home: RelayIdentity, term: Int64, isHomeAlive: Bool) {
        self.key = key
        self.id = id
        self.home = home
        self.term = term
        self.isHomeAlive = isHomeAlive
    }
}
