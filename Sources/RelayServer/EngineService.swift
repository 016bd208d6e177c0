import MediaEngine
import ServiceLifecycle

/// Keeps the media engine until the doors before it are closed, then stops it.
struct EngineService: Service {
    let engine: MediaEngine

    func run() async throws {
        try? await gracefulShutdown()
        engine.stop()
    }
}
