package import MediaBase

/// Row of a relay in the store, as of one answer.
package struct RelayRecord: Hashable, Sendable {
    package var identity: RelayIdentity
    package var description: RelayDescription
    package var load: RelayLoad
    /// Whether the relay's lease had not ended, by the clock of the store.
    package var isAlive: Bool
    /// Time since the last heartbeat, by the clock of the store.
    package var silence: MediaTime

    package init(
        identity: RelayIdentity, description: RelayDescription, load: RelayLoad, isAlive: Bool, silence: MediaTime
    ) {
        self.identity = identity
        self.description = description
        self.load = load
        self.isAlive = isAlive
        self.silence = silence
    }
}
