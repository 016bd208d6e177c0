extension VirtualEngine {
    package func advertise(_ addresses: [String]) throws(EngineError) {
        try router.postToAll { $0.advertise(addresses) }
    }
}
