import MediaBase

extension SocketAddress {
    /// Whether the internet has no route to the address: private networks (RFC 1918, RFC 4193), carrier-grade NAT (RFC 6598), link-local
    /// addresses, loopback.
    var isPrivate: Bool {
        if isLoopback { return true }
        let octets = octets
        guard octets.count == 4 else {
            return octets[0] & 0xFE == 0xFC || octets[0] == 0xFE && octets[1] & 0xC0 == 0x80
        }
        switch (octets[0], octets[1]) {
        case (10, _), (172, 16...31), (192, 168), (100, 64...127), (169, 254): return true
        default: return false
        }
    }
}
