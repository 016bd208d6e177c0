import NIOCore

/// What clients are told apart by where something is counted for each address.
enum ClientAddress {
    /// An IPv4 address; of an IPv6 address the first 64 bits, which one host has to itself (RFC 4291 section 2.5.4); empty where there is
    /// none.
    static func group(of address: SocketAddress?) -> String {
        switch address {
        case .v4: return address?.ipAddress ?? ""
        case .v6(let v6):
            let bytes = withUnsafeBytes(of: v6.address.sin6_addr) { Array($0) }
            // IPv4 behind a socket of both (RFC 4291 section 2.5.5.2).
            if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
                return bytes.suffix(4).map(String.init).joined(separator: ".")
            }
            return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        case .unixDomainSocket, nil: return ""
        }
    }
}
