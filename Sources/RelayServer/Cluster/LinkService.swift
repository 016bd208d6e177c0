import ControlServer
import ServiceLifecycle

/// Listener of links. Its failure names the links, so that it is not taken for one of the HTTP port.
struct LinkService: Service {
    let listener: any Service
    let edge: ClusterEdge

    func run() async throws {
        do {
            try await listener.run()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw RelayError.cluster("cannot listen for links on \(edge.listenerText): \(ListenFailure(error))")
        }
    }
}
