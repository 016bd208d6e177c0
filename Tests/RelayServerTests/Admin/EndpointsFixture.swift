import ControlServer
import Logging
import MediaEngine
import ServiceLifecycle
import Signaling
import Testing

/// Runs `body` against a control server on a free port, with an idle engine.
func withEndpoints(
    _ configure: (inout ControlConfiguration) -> Void = { _ in },
    make: (MediaEngine, ControlConfiguration, OpenBodies, Logger) throws -> ControlServer,
    body: (ControlServer, RawHTTPClient) async throws -> Void
) async throws {
    var engineConfiguration = EngineConfiguration()
    engineConfiguration.bindAddress = "127.0.0.1"
    engineConfiguration.plainPort = 0
    engineConfiguration.webRTC.port = 0
    let engine = try MediaEngine(configuration: engineConfiguration)
    defer { engine.stop() }
    var configuration = ControlConfiguration()
    configuration.port = 0
    configuration.origins = AllowedOrigins(["*"]) ?? AllowedOrigins()
    configure(&configuration)
    let bodies = OpenBodies()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let server = try make(engine, configuration, bodies, logger)
    let (ports, report) = AsyncStream<Int>.makeStream()
    let group = ServiceGroup(services: [server.service { report.yield($0) }], logger: logger)
    let task = Task { try await group.run() }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next())
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(server, RawHTTPClient(port: port)))
    } catch {
        result = .failure(error)
    }
    bodies.beginDraining()
    bodies.closeAll()
    await group.triggerGracefulShutdown()
    try await task.value
    try result.get()
}

extension ControlParts {
    /// Creates parts without apps, users and stored data.
    init(bare engine: MediaEngine, apps: AppDirectory = AppDirectory(), logger: Logger) throws {
        let verifier = JWTVerifier(apps: apps)
        let issues = try IssueArchive(logger: logger)
        var connect = ConnectConfiguration()
        connect.standardApp = apps.standard
        let liveSessions = LiveSessions(
            engine: engine, taps: engine, verifier: verifier, issues: issues, hooks: NoWebhooks(),
            configuration: connect,
            iceServers: [], statistics: ControlStatistics(), logger: logger, programmes: ProgrammeLimits())
        self.init(
            apps: apps, tokens: verifier, tokenStatistics: verifier.statistics, liveSessions: liveSessions,
            issues: issues)
    }
}

/// Runs `body` against a control server with a test double of the sessions.
func withDoubledSessions(
    apps: AppDirectory = AppDirectory(secrets: ["shop": "shop-secret-shop-secret-shop-secret"]),
    _ configure: (inout ControlConfiguration) -> Void = { _ in },
    _ body: (SessionsDouble, RawHTTPClient, ControlServer) async throws -> Void
) async throws {
    let double = SessionsDouble()
    try await withEndpoints(configure) { engine, configuration, bodies, logger in
        var parts = try ControlParts(bare: engine, apps: apps, logger: logger)
        parts.sessions = double
        return ControlServer(
            engine: engine, webRTC: engine, configuration: configuration, recorder: nil, bodies: bodies, parts: parts,
            logger: logger)
    } body: { server, http in
        try await body(double, http, server)
    }
}
