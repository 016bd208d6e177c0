extension SocketAddress {
    /// Whether the internet has no route to the address: private networks (RFC 1918, RFC 4193), carrier-grade NAT (RFC 6598), link-local
    /// addresses, loopback.
    package var isPrivate: Bool {
        if isLoopback { return true }
        let octets = octets
        guard octets.count == 4 else {
            return octets.count == 16 && (octets[0] & 0xFE == 0xFC || octets[0] == 0xFE && octets[1] & 0xC0 == 0x80)
        }
        switch (octets[0], octets[1]) {
        case (10, _), (172, 16...31), (192, 168), (100, 64...127), (169, 254): return true
        default: return false
        }
    }

    /// Whether only hosts of the same link can reach the address: 169.254.0.0/16 (RFC 3927), fe80::/10 (RFC 4291 section 2.5.6).
    package var isLinkLocal: Bool {
        let octets = octets
        return octets.count == 4
            ? octets.starts(with: [169, 254]) : octets.count == 16 && octets[0] == 0xFE && octets[1] & 0xC0 == 0x80
    }

    /// Whether a request from outside must not make the relay send to the address, because it may be within the operator's network: private
    /// addresses, unspecified, multicast and reserved ones (RFC 6890), and IPv6 addresses that contain such an IPv4 address.
    package var isInternal: Bool {
        if isPrivate || octets.isEmpty { return true }
        let octets = octets
        guard octets.count == 16 else {
            switch (octets[0], octets[1], octets[2]) {
            case (0, _, _), (192, 0, 0), (198, 18...19, _), (224..., _, _): return true
            default: return false
            }
        }
        if let embedded = Self.embedded(octets) { return embedded.isInternal }
        // Multicast, and site-local addresses (RFC 3879), which some networks still route.
        return octets[0] == 0xFF || octets[0] == 0xFE && octets[1] & 0xC0 == 0xC0
            || octets.allSatisfy { $0 == 0 }
    }

    /// Returns the IPv4 address within an IPv6 address: mapped and compatible (RFC 4291 section 2.5.5), NAT64 (RFC 6052, RFC 8215), 6to4
    /// (RFC 3056), Teredo (RFC 4380); nil if there is none.
    private static func embedded(_ octets: [UInt8]) -> SocketAddress? {
        let zeros = octets.prefix { $0 == 0 }.count
        let last = Array(octets.suffix(4))
        if zeros >= 10, octets[10] == 0xFF, octets[11] == 0xFF { return SocketAddress(octets: last, port: 0) }
        // `::` and `::1` are not IPv4 addresses.
        if zeros >= 12, zeros < 15 { return SocketAddress(octets: last, port: 0) }
        switch (octets[0], octets[1], octets[2], octets[3]) {
        case (0, 0x64, 0xFF, 0x9B): return SocketAddress(octets: last, port: 0)
        case (0x20, 0x02, _, _): return SocketAddress(octets: Array(octets[2..<6]), port: 0)
        case (0x20, 0x01, 0, 0): return SocketAddress(octets: last.map { ~$0 }, port: 0)
        default: return nil
        }
    }
}
