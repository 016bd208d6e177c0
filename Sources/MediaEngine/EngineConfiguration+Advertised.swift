extension EngineConfiguration {
    /// Sets the addresses that clients and other relays are told.
    /// - Parameter addresses: numeric addresses, the preferred one first; empty: the bind address.
    package mutating func advertise(_ addresses: [String]) {
        advertisedAddress = addresses.first ?? bindAddress
        webRTC.advertisedAddresses = addresses
    }
}
