import MediaBase

/// Addresses that answers tell clients to send media to.
extension RelayConfiguration {
    /// Addresses that `media.advertised` may name.
    static let advertisedLimit = 16

    /// The addresses of `mediaAdvertised` one by one; if it is empty those of this host, see `hostAddresses(boundTo:of:)`.
    public var advertisedAddresses: [String] {
        let named = Self.list(mediaAdvertised)
        return named.isEmpty ? Self.hostAddresses(boundTo: mediaAddress, of: InterfaceAddress.all()) : named
    }

    /// Every advertised address is reached by this host only.
    var isMediaOnLoopback: Bool {
        advertisedAddresses.allSatisfy { SocketAddress($0, port: 0)?.isLoopback == true }
    }

    /// The addresses by which browsers of this host and of its networks reach sockets that are bound to `bound`: those of the default route
    /// first, loopback last, since Firefox gathers no candidate that reaches loopback. Link-local addresses are left out: a candidate has
    /// no zone. At most `advertisedLimit`.
    ///
    /// - Parameters:
    ///   - bound: numeric address; `0.0.0.0` and `::` stand for all.
    ///   - interfaces: the addresses of the host.
    static func hostAddresses(boundTo bound: String, of interfaces: [InterfaceAddress]) -> [String] {
        guard let address = SocketAddress(bound, port: 0), address.octets.allSatisfy({ $0 == 0 }) else {
            return [bound]
        }
        let usable = interfaces.filter { (address.isIPv6 || !$0.address.isIPv6) && !$0.isLinkLocal }
        let remote = usable.filter { !$0.address.isLoopback }
        let local = usable.filter(\.address.isLoopback).map(\.address.host)
        let ordered = remote.filter(\.isOnDefaultRoute) + remote.filter { !$0.isOnDefaultRoute }
        let hosts = ordered.map(\.address.host).prefix(advertisedLimit - 1) + (local.isEmpty ? ["127.0.0.1"] : local)
        var seen: Set<String> = []
        return Array(hosts.filter { seen.insert($0).inserted }.prefix(advertisedLimit))
    }
}
