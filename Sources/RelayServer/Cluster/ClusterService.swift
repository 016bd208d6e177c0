import ClusterLink
import ControlServer
import Logging
import Persistence
import ServiceLifecycle

/// Keeps the relay a member of its cluster from the start of its listener of links until the HTTP port has closed, and makes its sessions
/// and connections follow the cluster's changes.
struct ClusterService: Service {
    let node: ClusterNode
    let edge: ClusterEdge
    let store: PostgresClusterStore
    let sessions: LiveSessions
    /// Ends when the listener of links accepts connections.
    let bound: AsyncStream<Void>
    let logger: Logger

    func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in bound {}
                guard !Task.isCancelled else { return }
                node.start()
                for await event in node.events { await handle(event) }
            }
            try? await gracefulShutdown()
            await node.leave()
            group.cancelAll()
        }
        store.close()
    }

    private func handle(_ event: ClusterNode.Event) async {
        switch event {
        case .superseded(let key, let id):
            logger.warning("another relay runs the session now", metadata: ["session": "\(key)"])
            await sessions.abandon(id)
        case .reclaimed(let id): await sessions.renewState(id)
        case .relayLost(let relay):
            logger.warning("a relay of the cluster has ended", metadata: ["relay": "\(relay.id)"])
            edge.cut(relay)
            sessions.homeLost(relay)
        case .acts(true): logger.notice("member of the cluster", metadata: ["relay": "\(node.description.id)"])
        case .acts(false):
            logger.error("the relay cannot confirm that it runs its sessions: their rules pause, media continues")
        case .replaced:
            logger.critical(
                "another relay uses this cluster.id; this one is no longer a member",
                metadata: ["relay": "\(node.description.id)"])
        case .storeFailed(let reason):
            logger.error("the cluster's database does not answer", metadata: ["reason": "\(reason)"])
        case .saveFailed(let id, let reason):
            logger.error(
                "the state of a session could not be saved; requests that change it wait",
                metadata: ["session": "\(id)", "reason": "\(reason)"])
        case .storeAnswers: logger.notice("the cluster's database answers again")
        }
    }
}
