package import ServiceLifecycle

extension ControlServer {
    /// Returns a service that accepts the requests and WebSockets of the cluster's other relays; nil without a cluster. It has the routes of
    /// the HTTP port. Limits per address are those of the clients that the requests name; the relays themselves have none.
    ///
    /// - Parameter onBound: called once the port is bound.
    package func linkService(onBound: @escaping @Sendable () -> Void) -> (any Service)? {
        guard let edge = parts.cluster else { return nil }
        let connect = ConnectHandler(
            liveSessions: parts.liveSessions, messages: parts.messages,
            unjoined: UnjoinedSockets(
                limit: configuration.connect.unjoined, addressLimit: configuration.connect.unjoinedPerAddress),
            statistics: statistics, isTLS: true, edge: edge, isLink: true, logger: logger)
        return application(
            router(isLink: true), connect, HTTPAddresses(limit: .max), tls: { edge.listener }, address: edge.address,
            port: edge.port
        ) { _ in onBound() }
    }
}
