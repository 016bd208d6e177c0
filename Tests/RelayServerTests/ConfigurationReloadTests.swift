import Foundation
import Logging
import MediaEngine
import Testing

@testable import ControlServer
@testable import RelayServer

@Suite("Reloading the configuration")
struct ConfigurationReloadTests {
    @Test("changed keys are divided into those that take effect and those that need a restart")
    func change() {
        let old = RelayConfiguration()
        var new = old
        new.logLevel = "debug"
        new.limitParticipants = 7
        new.httpPort = 7_000
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.adopted == ["log.level", "limit.participants"])
        #expect(change.deferred == ["http.port"])
        var expected = old
        expected.logLevel = "debug"
        expected.limitParticipants = 7
        #expect(change.applied(to: old) == expected)
        let none = ConfigurationChange(from: old, to: old)
        #expect(none.adopted.isEmpty && none.deferred.isEmpty && none.applied(to: new) == new)
    }

    @Test("a key that needs a restart is named by each reload until the restart")
    func deferredTwice() throws {
        let values = ConfigurationInForce(RelayConfiguration())
        var new = RelayConfiguration()
        new.mediaWorkers = 3
        new.adminToken = "a-new-admin-token"
        let first = try values.change(to: new)
        #expect(first.0.adopted == ["admin.token"] && first.0.deferred == ["media.workers"])
        #expect(first.1.adminToken == "a-new-admin-token" && first.1.mediaWorkers == 1)
        let second = try values.change(to: new)
        #expect(second.0.adopted.isEmpty && second.0.deferred == ["media.workers"])
    }

    @Test("the advertised addresses and the admin token of a development relay stay as at the start")
    func completedValues() throws {
        var old = RelayConfiguration()
        old.development = true
        old.insecureHTTP = true
        old.httpAddress = "0.0.0.0"
        let values = ConfigurationInForce(old)
        #expect(!values.atStart.adminToken.isEmpty && !values.atStart.mediaAdvertised.isEmpty)
        var new = old
        new.logLevel = "debug"
        let effective = try values.change(to: new).1
        #expect(effective.adminToken == values.atStart.adminToken)
        #expect(effective.mediaAdvertised == values.atStart.mediaAdvertised)
    }

    @Test("a configuration that is valid alone, but not with the values that stay, changes nothing")
    func invalidTogether() throws {
        var old = RelayConfiguration()
        old.httpAddress = "192.0.2.1"
        old.insecureHTTP = true
        old.adminToken = "an-old-admin-token"
        old.whipToken = "0123456789"
        old.whepToken = "0123456789"
        let values = ConfigurationInForce(old)
        // On loopback no tokens are required, but the address changes only at a restart.
        var new = RelayConfiguration()
        new.limitParticipants = 7
        try new.validate()
        #expect(throws: ConfigurationError.self) { try values.change(to: new) }
        new = old
        new.limitParticipants = 8
        let (change, effective) = try values.change(to: new)
        #expect(change.adopted == ["limit.participants"] && effective.limitParticipants == 8)
        #expect(effective.adminToken == "an-old-admin-token")
    }

    @Test("a running relay adopts new tokens, apps, webhooks and limits, and no value of an invalid configuration")
    func running() async throws {
        var configuration = RelayConfiguration()
        configuration.httpPort = 0
        configuration.mediaPort = 0
        configuration.webRTCPort = 0
        configuration.mediaAddress = "127.0.0.1"
        configuration.drainSeconds = 0
        configuration.adminToken = "an-old-admin-token"
        let log = LogLines()
        let relay = Relay(configuration: configuration, logger: Logger(label: "test") { _ in log })
        try await relay.start()
        let http = RawHTTPClient(port: relay.httpPort)
        func status(_ token: String) async throws -> Int {
            try await http.request("GET", "/v1/sessions", fields: ["Authorization": "Bearer \(token)"]).status
        }
        #expect(try await status("an-old-admin-token") == 200)
        var new = configuration
        new.adminToken = "a-new-admin-token"
        new.apps = "shop:" + String(repeating: "s", count: 40)
        new.webhookURL = "http://127.0.0.1:9/events"
        new.limitParticipants = 7
        new.limitParticipantsPerToken = 3
        try relay.reload(new)
        #expect(try await status("an-old-admin-token") == 401)
        #expect(try await status("a-new-admin-token") == 200)
        let parts = try #require(relay.server?.parts)
        #expect(parts.apps.keys == ["shop"] && parts.webhookStatistics.values.isConfigured)
        let limits = parts.liveSessions.configuration
        #expect(limits.conference.participants == 7 && limits.resources.token.participants == 3)
        #expect(log.messages.contains("notice: configuration read again: new values are in force"))

        var invalid = new
        invalid.limitTaps = 0
        invalid.adminToken = "another-admin-token"
        #expect(throws: ConfigurationError.self) { try relay.reload(invalid) }
        await relay.reload { () async throws(ConfigurationError) in throw .unreadableFile(path: "x", reason: "gone") }
        #expect(log.messages.contains { $0.hasPrefix("error: the new configuration cannot be used") })
        #expect(try await status("a-new-admin-token") == 200)
        // Without a token every program on this host may use /v1, as if the relay had been started without one.
        new.adminToken = ""
        try relay.reload(new)
        #expect(try await http.request("GET", "/v1/sessions").status == 200)
        await relay.stop()
    }

    @Test("a running relay gives new advertised addresses to new transports, and its own if the key is empty")
    func advertised() async throws {
        var configuration = RelayConfiguration()
        configuration.httpPort = 0
        configuration.mediaPort = 0
        configuration.webRTCPort = 0
        configuration.mediaWorkers = 2
        configuration.mediaAddress = "127.0.0.1"
        configuration.mediaAdvertised = "192.0.2.1"
        configuration.drainSeconds = 0
        let log = LogLines()
        let relay = Relay(configuration: configuration, logger: Logger(label: "test") { _ in log })
        try await relay.start()
        let engine = try #require(relay.engine)
        // The sessions are spread over both workers.
        func addresses(_ name: String) async throws -> [String] {
            var addresses: [String] = []
            for session in 1...2 {
                var request = PlainTransportRequest(direction: .publish, session: "\(name)\(session)")
                request.rtcpMux = true
                addresses.append(try await engine.openPlain(request).address)
            }
            return addresses
        }
        #expect(try await addresses("first") == ["192.0.2.1", "192.0.2.1"])
        var new = configuration
        new.mediaAdvertised = "192.0.2.2,192.0.2.3"
        try relay.reload(new)
        #expect(try await addresses("second") == ["192.0.2.2", "192.0.2.2"])
        #expect(log.messages.filter { $0.contains("clients are told to send media to these addresses") }.count == 2)
        new.mediaAdvertised = "localhost"
        #expect(throws: ConfigurationError.self) { try relay.reload(new) }
        #expect(try await addresses("third") == ["192.0.2.2", "192.0.2.2"])
        new.mediaAdvertised = ""
        try relay.reload(new)
        #expect(try await addresses("fourth") == ["127.0.0.1", "127.0.0.1"])
        await relay.stop()
    }

    @Test("the level of a logger follows the relay's, unless the logger has its own")
    func logLevel() {
        let level = LogLevel(.info)
        let logger = Logger(label: "test") { _ in StandardErrorLogHandler(level: level, format: .text) }
        var quiet = logger
        quiet.logLevel = .error
        level.current = .debug
        #expect(logger.logLevel == .debug && quiet.logLevel == .error)
    }

    @Test(
        "SIGHUP makes millrace serve read its file again, and its log names the changed keys without their values",
        .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"))
    func signal() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        // Polling with the new token counts as guesses until it is in force.
        let limit = "limit: { wrongTokens: 1000000 }\n"
        try Data("\(limit)admin: { token: an-old-admin-token }\n".utf8).write(to: file)
        let relay = try MillraceProcess([
            "serve", "--http-port", "0", "--media-port", "0", "--webrtc-port", "0", "--drain-seconds", "0", "--json",
            "--config", file.path,
        ])
        let line = await relay.firstLine()
        let ready = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let http = RawHTTPClient(port: try #require((ready["url"] as? String).flatMap { URL(string: $0)?.port }))
        func status(_ token: String) async throws -> Int {
            try await http.request("GET", "/v1/sessions", fields: ["Authorization": "Bearer \(token)"]).status
        }
        #expect(try await status("an-old-admin-token") == 200)
        try Data("\(limit)admin: { token: a-new-admin-token }\nhttp: { bodyBytes: 2048 }\n".utf8).write(to: file)
        relay.signal(SIGHUP)
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if try await status("a-new-admin-token") == 200 { break }
        }
        #expect(try await status("a-new-admin-token") == 200)
        relay.signal(SIGTERM)
        #expect(await relay.wait() == 0)
        let log = await relay.errorText()
        #expect(log.contains("http.bodyBytes") && log.contains("need a restart"))
        #expect(!log.contains("a-new-admin-token"))
    }
}
