internal import ControlServer
internal import Logging
internal import ServiceLifecycle

/// The first to hear of a shutdown: says so at `/readyz` for a while, so that a load balancer looks elsewhere, then ends the open
/// bodies.
struct DrainService: Service {
    let bodies: OpenBodies
    let grace: Duration
    let logger: Logger

    func run() async throws {
        do {
            try await gracefulShutdown()
            logger.notice("draining", metadata: ["seconds": "\(grace.components.seconds)"])
            bodies.beginDraining()
            try await Task.sleep(for: grace)
        } catch {
            // Cancelled: something else of the relay failed, and there is no time to be kind.
            bodies.beginDraining()
        }
        bodies.closeAll()
    }
}
