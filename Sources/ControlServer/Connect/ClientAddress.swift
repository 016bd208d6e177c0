import NIOCore

/// Keys of clients for limits that are counted per address.
enum ClientAddress {
    /// Returns an IPv4 address, or the first 64 bits of an IPv6 address, which one host has to itself (RFC 4291 section 2.5.4); empty if
    /// there is no address.
    static func group(of address: SocketAddress?) -> String {
        switch address {
        case .v4: return address?.ipAddress ?? ""
        case .v6(let v6):
            let bytes = withUnsafeBytes(of: v6.address.sin6_addr) { Array($0) }
            // IPv4-mapped address of a dual-stack socket (RFC 4291 section 2.5.5.2).
            if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
                return bytes.suffix(4).map(String.init).joined(separator: ".")
            }
            return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        case .unixDomainSocket, nil: return ""
        }
    }
}
