import Hummingbird
import HummingbirdCore
import Logging
package import ServiceLifecycle

extension ControlServer {
    /// Returns a service that accepts the requests and WebSockets of the cluster's other relays; nil without a cluster. It has the routes of
    /// the HTTP port. Limits per address are those of the clients that the requests name; the relays themselves have none.
    ///
    /// - Parameter onBound: receives the port once it is bound.
    package func linkService(onBound: @escaping @Sendable (Int) -> Void) -> (any Service)? {
        guard let edge = parts.cluster else { return nil }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let statistics = statistics
        let configuration = configuration
        let bodies = bodies
        let tls = { @Sendable in edge.listener }
        let apps = parts.apps
        let pages = pages
        let addresses = HTTPAddresses(limit: .max)
        let connect = ConnectHandler(
            liveSessions: parts.liveSessions, messages: parts.messages,
            unjoined: UnjoinedSockets(
                limit: configuration.connect.unjoined, addressLimit: configuration.connect.unjoinedPerAddress),
            statistics: statistics, isTLS: true, edge: edge, isLink: true, logger: logger)
        return Application(
            router: router(isLink: true),
            server: HTTPServerBuilder { responder in
                ControlChannel(
                    responder: responder, configuration: configuration, statistics: statistics, bodies: bodies,
                    addresses: addresses, tls: tls, connect: connect, apps: apps, pages: pages)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(edge.address, port: edge.port), serverName: "millrace",
                backlog: Self.pendingConnections,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connections, logger: quiet)),
            onServerRunning: { listener in onBound(listener.localAddress?.port ?? edge.port) },
            logger: quiet)
    }
}
