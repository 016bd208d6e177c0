import ClusterLink
import ControlServer
import Logging
import Persistence
import ServiceLifecycle

/// Parts of a relay that make it a member of a cluster.
struct ClusterParts: Sendable {
    let node: ClusterNode
    let edge: ClusterEdge
    let store: PostgresClusterStore

    /// Returns the services that make the relay a member, in start order. They end after the HTTP port has closed.
    func services(
        server: ControlServer, sessions: LiveSessions, logger: Logger
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        let (bound, report) = AsyncStream<Void>.makeStream()
        let membership = ClusterService(
            node: node, edge: edge, store: store, sessions: sessions, bound: bound, logger: logger)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: membership, serviceName: "cluster")
        ]
        if let listener = server.linkService(onBound: { report.finish() }) {
            services.append(
                .init(service: LinkService(listener: listener, edge: edge), serviceName: "links"))
        }
        return services
    }
}
