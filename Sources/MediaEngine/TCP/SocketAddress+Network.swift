import MediaBase

extension SocketAddress {
    /// Address of the network that one customer of a provider has: the IPv4 address, or the first 64
    /// bits of the IPv6 address. The port is 0.
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
