import MediaBase
import STUN

extension STUNAddress {
    /// Converts a socket address; nil if it is empty. An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2), as a dual-stack socket
    /// reports it, becomes an IPv4 address.
    init?(_ address: SocketAddress) {
        let octets = address.octets
        func word(_ start: Int) -> UInt64 { octets[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
        func v4(_ bytes: ArraySlice<UInt8>) -> IP { .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) }) }
        switch octets.count {
        case 4: self.init(ip: v4(octets[...]), port: address.port)
        case 16 where word(0) == 0 && word(8) >> 32 == 0xffff: self.init(ip: v4(octets[12...]), port: address.port)
        case 16: self.init(ip: .v6(high: word(0), low: word(8)), port: address.port)
        default: return nil
        }
    }
}
