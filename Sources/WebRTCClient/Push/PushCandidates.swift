package import MediaBase
package import SDP

/// Host candidates of a push for its server.
///
/// Addresses of the routes to the server's candidates, which the server sees in checks as well unless a NAT is between (RFC 8828 section
/// 5.2, mode 2); not those of other interfaces. An internal address is named only to a server that is internal too: another one could not
/// send to it, and would learn about the operator's network.
package enum PushCandidates {
    /// Way from a socket of the push to a candidate of the server.
    package struct Route: Sendable, Hashable {
        package var local: SocketAddress
        package var remote: SocketAddress

        package init(local: SocketAddress, remote: SocketAddress) {
            self.local = local
            self.remote = remote
        }
    }

    /// Maximum number of candidates.
    package static let limit = 8
    /// Type preference of host candidates (RFC 8445 section 5.1.2.2).
    private static let preference: UInt32 = 126

    package static func host(_ routes: [Route]) -> [ICECandidate] {
        var addresses: [SocketAddress] = []
        for route in routes where isNamed(route) && !addresses.contains(route.local) { addresses.append(route.local) }
        return addresses.prefix(limit).enumerated().map { index, address in
            ICECandidate(
                foundation: "\(index + 1)", transport: .udp,
                priority: preference << 24 | (65_535 - UInt32(index)) << 8 | 255, host: address.host,
                port: address.port)
        }
    }

    private static func isNamed(_ route: Route) -> Bool {
        // RFC 8445 section 5.1.1.1 forbids loopback addresses. Link-local ones mean nothing on another link.
        guard route.local.port != 0, !route.local.isLoopback, !route.local.isLinkLocal else { return false }
        return !route.local.isInternal || route.remote.isInternal
    }
}
