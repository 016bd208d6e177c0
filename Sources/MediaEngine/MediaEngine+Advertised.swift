/// Change of the advertised addresses while the engine runs.
extension MediaEngine {
    /// Tells clients and other relays these addresses: in offers, answers and pipe ends of calls that begin after this one has returned. Existing
    /// transports keep the address that they use.
    ///
    /// The workers take the addresses from their mailboxes, so packets wait for no lock.
    ///
    /// - Parameter addresses: numeric addresses, the preferred one first; empty: the bind address.
    /// - Throws: `limitReached` or `stopped` if the mailbox of a worker accepts no call. The workers before it have the new addresses.
    package func advertise(_ addresses: [String]) throws(EngineError) {
        try router.postToAll { $0.advertise(addresses) }
    }
}
