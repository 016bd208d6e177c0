import MediaBase

/// Addresses for media in answers to clients.
extension RelayConfiguration {
    /// Maximum number of addresses in `media.advertised`.
    static let advertisedLimit = 16

    /// The addresses of `mediaAdvertised`; if it is empty, those of this host, see `hostAddresses(boundTo:of:)`.
    public var advertisedAddresses: [String] {
        let named = Self.list(mediaAdvertised)
        return named.isEmpty ? Self.hostAddresses(boundTo: mediaAddress, of: InterfaceAddress.all()) : named
    }

    /// Whether only this host can reach the advertised addresses.
    var isMediaOnLoopback: Bool {
        advertisedAddresses.allSatisfy { SocketAddress($0, port: 0)?.isLoopback == true }
    }

    /// Returns the addresses at which browsers of this host and its networks can reach sockets bound to `bound`:
    /// addresses on the default route first, loopback last, because Firefox gathers no candidate that reaches loopback.
    /// Excludes link-local addresses, because a candidate has no zone. Returns at most `advertisedLimit` addresses.
    ///
    /// - Parameters:
    ///   - bound: numeric address; `0.0.0.0` and `::` mean all interfaces.
    ///   - interfaces: addresses of the host.
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
