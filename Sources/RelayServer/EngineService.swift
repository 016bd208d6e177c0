import MediaEngine
import ServiceLifecycle

/// Keeps the media engine running until the HTTP endpoints are closed, then stops it.
struct EngineService: Service {
    let engine: MediaEngine

    func run() async throws {
        try? await gracefulShutdown()
        engine.stop()
    }
}
