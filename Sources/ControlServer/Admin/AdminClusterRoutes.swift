import Cluster
import ClusterLink
import Hummingbird

/// `/v1/admin/cluster`: the relays and sessions of the cluster, as its database has them.
struct AdminClusterRoutes {
    /// Maximum number of sessions in an answer.
    private static let sessions = 1_000

    let edge: ClusterEdge?

    func add(to table: RouteTable) { table.add("cluster", [.get: cluster]) }

    @Sendable private func cluster(_ request: Request, _ context: ControlContext) async throws -> Response {
        guard let node = edge?.node else { throw Problem(.notFound, "the relay is in no cluster") }
        let relays: [RelayRecord]
        let sessions: [SessionPlacement]
        do throws(StoreFailure) {
            (relays, sessions) = try await node.list(limit: Self.sessions)
        } catch {
            throw Problem(.unavailable, "the cluster's database does not answer: \(error)", retryAfter: 1)
        }
        let status = node.status
        return try .json(
            ClusterAnswer(
                relay: node.description.id.rawValue, isMember: status.isMember, acts: status.acts,
                relays: relays.map(ClusterAnswer.Relay.init), sessions: sessions.map(ClusterAnswer.Session.init)))
    }
}

extension ClusterAnswer.Relay {
    init(_ record: RelayRecord) {
        self.init(
            id: record.identity.id.rawValue, link: record.description.link, region: record.description.region,
            version: record.description.version, linkVersion: record.description.linkVersion, load: record.load.use,
            isDraining: record.load.isDraining,
            isAlive: record.isAlive, silence: record.silence.seconds)
    }
}

extension ClusterAnswer.Session {
    init(_ placement: SessionPlacement) {
        self.init(
            app: placement.key.app, name: placement.key.name, id: placement.id.rawValue,
            relay: placement.home.id.rawValue, term: placement.term, isAlive: placement.isHomeAlive)
    }
}
