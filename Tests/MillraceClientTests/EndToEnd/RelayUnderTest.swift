import ControlServer
import Foundation
import MediaBase
import MillraceClient
import MillraceTokens
import NIOPosix
import RelayServer
import Signaling
import Testing

/// A relay in this process, configured as with `--dev`, on free ports.
struct RelayUnderTest {
    let relay: Relay

    /// Runs `body` against a new relay.
    static func run(
        _ configure: (inout RelayConfiguration) -> Void = { _ in }, _ body: (RelayUnderTest) async throws -> Void
    ) async throws {
        var configuration = RelayConfiguration()
        configuration.development = true
        configuration.httpPort = 0
        configuration.mediaPort = 0
        configuration.mediaWorkers = 1
        configuration.webRTCPort = 0
        configuration.mediaAddress = "127.0.0.1"
        configuration.drainSeconds = 0
        configuration.logLevel = "critical"
        configure(&configuration)
        let relay = Relay(configuration: configuration)
        try await relay.start()
        do {
            try await body(RelayUnderTest(relay: relay))
            await relay.stop()
        } catch {
            await relay.stop()
            throw error
        }
    }

    var port: Int { relay.httpPort }
    /// UDP port of the WebRTC peers of the only media worker.
    var mediaPort: Int { Int(relay.engine?.webRTCPorts.first ?? 0) }
    var url: String { "http://127.0.0.1:\(port)" }

    func token(
        session: String = "room", identity: String? = nil, canHost: Bool = false, role: TokenRole? = nil
    ) async throws -> String {
        try TokenMinter(app: AppDirectory.development, secret: AppDirectory.developmentSecret).mint(
            TokenGrant(session: session, identity: identity, role: role, canHost: canHost),
            now: Int64(Date().timeIntervalSince1970))
    }

    /// Returns a client that has joined.
    func join(
        _ name: String, session: String = "room", canHost: Bool = false, url: String? = nil,
        _ configure: (inout SessionConfiguration) -> Void = { _ in }
    ) async throws -> Session {
        var configuration = SessionConfiguration()
        configuration.localAddress = "127.0.0.1"
        configure(&configuration)
        let token = try await token(session: session, identity: name, canHost: canHost)
        let session = Session(url: url ?? self.url, token: token, configuration: configuration)
        try await session.connect(name: name)
        return session
    }
}

/// Tests compare only error codes.
extension ErrorCode: Error {}

/// Returns the first element of a feed that matches; records an issue and returns nil if none arrives in time.
func first<Element: Sendable, Found: Sendable>(
    of feed: Feed<Element>, within seconds: Int64 = 20, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation, _ matches: @escaping @Sendable (Element) -> Found?
) async -> Found? {
    let found = await withTaskGroup(of: Found?.self) { group in
        group.addTask {
            for await element in feed {
                if let found = matches(element) { return found }
            }
            return nil
        }
        group.addTask {
            let alarm = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .seconds(seconds)) {}
            return await withTaskCancellationHandler {
                try? await alarm.futureResult.get()
                return nil
            } onCancel: {
                alarm.cancel()
            }
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
    if found == nil { Issue.record("\(what) did not come in \(seconds) s", sourceLocation: sourceLocation) }
    return found
}
