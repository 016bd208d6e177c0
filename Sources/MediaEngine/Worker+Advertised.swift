/// Change of the advertised addresses while the worker runs.
extension Worker {
    /// Tells clients and other relays these addresses in offers, answers and pipe ends from now on. Existing transports keep the address that they
    /// use.
    func advertise(_ addresses: [String]) {
        var changed = configuration
        changed.advertise(addresses)
        parameters = RelayParameters(changed, identity: parameters.identity, sockets: sockets, worker: index)
    }
}
