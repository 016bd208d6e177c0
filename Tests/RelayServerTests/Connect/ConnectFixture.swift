import Conference
import ControlServer
import Logging
import MediaEngine
import Recording
import ServiceLifecycle
import Signaling
import Testing

/// A relay's control server with its sessions, and a verifier that accepts `TestToken`s.
struct ConnectFixture: Sendable {
    let port: Int
    let liveSessions: LiveSessions
    let server: ControlServer
    let bodies: OpenBodies
    let engine: MediaEngine
    let issues: IssueArchive
    let messages: MessageHub

    var http: RawHTTPClient { RawHTTPClient(port: port) }
    var counts: ConnectCounts { server.statistics.values.connect }

    /// Opens a WebSocket that has not joined.
    func connect(token: String? = nil, path: String = "/v1/connect") async throws -> SocketClient {
        try await SocketClient(port: port, path: path, token: token)
    }

    /// Joins the session with a new client.
    ///
    /// - Returns: the client and its join answer.
    func join(
        _ name: String, session: String = "demo", token: TestToken = TestToken(), password: String? = nil
    ) async throws -> (SocketClient, JoinAnswer) {
        let client = try await connect()
        let answer = try await client.join(name, session: session, token: token, password: password)
        return (client, answer)
    }
}

/// Runs `body` against a control server on a free port.
///
/// - Parameter events: events of the engine that the sessions get; nil: all events.
func withConnect(
    storage: MessageHub.Storage = .disabled, messages: MessageHubConfiguration = MessageHubConfiguration(),
    _ configure: (inout ControlConfiguration) -> Void = { _ in }, events: AsyncStream<StreamEvent>? = nil,
    journal: JournalWriter? = nil,
    _ body: (ConnectFixture) async throws -> Void
) async throws {
    var engineConfiguration = EngineConfiguration()
    engineConfiguration.bindAddress = "127.0.0.1"
    engineConfiguration.plainPort = 0
    engineConfiguration.webRTC.port = 0
    let engine = try MediaEngine(configuration: engineConfiguration)
    defer { engine.stop() }
    var configuration = ControlConfiguration()
    configuration.port = 0
    configuration.connect.messagesPerSecond = 100_000
    configuration.connect.standardApp = "app"
    configure(&configuration)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let issues = try IssueArchive(logger: logger)
    let bodies = OpenBodies()
    let statistics = ControlStatistics()
    let liveSessions = LiveSessions(
        engine: engine, taps: engine, verifier: TestVerifier(), issues: issues, hooks: NoWebhooks(),
        configuration: configuration.connect, iceServers: configuration.iceServers, statistics: statistics,
        logger: logger, journal: journal,
        programmes: configuration.programmes, events: events)
    let messages = MessageHub(
        storage, configuration: messages, statistics: statistics, logger: logger)
    let verifier = JWTVerifier(apps: AppDirectory())
    let parts = ControlParts(
        apps: AppDirectory(), tokens: verifier, tokenStatistics: verifier.statistics, liveSessions: liveSessions,
        messages: messages, issues: issues)
    let server = ControlServer(
        engine: engine, webRTC: engine, configuration: configuration, recorder: nil, bodies: bodies, parts: parts,
        logger: logger)
    let (ports, report) = AsyncStream<Int>.makeStream()
    let group = ServiceGroup(services: [server.service { report.yield($0) }], logger: logger)
    let task = Task { try await group.run() }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next())
    let fixture = ConnectFixture(
        port: port, liveSessions: liveSessions, server: server, bodies: bodies, engine: engine, issues: issues,
        messages: messages)
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(fixture))
    } catch {
        result = .failure(error)
    }
    bodies.beginDraining()
    await liveSessions.endAll()
    bodies.closeAll()
    await group.triggerGracefulShutdown()
    try await task.value
    try result.get()
}
