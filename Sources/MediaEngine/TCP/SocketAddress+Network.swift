import MediaBase

extension SocketAddress {
    /// What one subscriber of a network provider has: the address, or of IPv6 its first 64 bits. Port 0.
    var network: SocketAddress {
        var octets = octets
        let isMapped =
            octets.count == 16 && octets[..<10].allSatisfy { $0 == 0 } && octets[10] == 0xff && octets[11] == 0xff
        if octets.count == 16, !isMapped {
            for index in 8..<16 { octets[index] = 0 }
        }
        return SocketAddress(octets: octets, port: 0) ?? SocketAddress()
    }
}
