extension SocketAddress {
    /// True if only programs on this host can reach the address: 127.0.0.0/8 (RFC 1122 section 3.2.1.3), `::1` (RFC 4291 section 2.5.3), or
    /// 127.0.0.0/8 mapped to IPv6 (RFC 4291 section 2.5.5.2).
    public var isLoopback: Bool {
        let octets = octets
        if octets.count == 4 { return octets[0] == 127 }
        guard octets.count == 16 else { return false }
        if octets == [UInt8](repeating: 0, count: 15) + [1] { return true }
        return octets.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] && octets[12] == 127
    }
}
