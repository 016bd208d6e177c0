import Foundation
@testable import RelayServer
import Testing

@Suite("millrace on the command line", .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"))
struct CommandLineTests {
    @Test func everyKeyHasItsFlag() async throws {
        for command in ["serve", "doctor"] {
            let help = try await MillraceProcess.run([command, "--help"])
            #expect(help.status == 0)
            for key in ConfigurationKey.all { #expect(help.output.contains(key.flag), "\(command) \(key.flag)") }
            #expect(help.output.contains("Examples:"))
        }
    }

    @Test func helpHasNoGapsInItsLines() async throws {
        let help = try await MillraceProcess.run(["load", "--help"])
        let overview = try #require(help.output.components(separatedBy: "USAGE:").first)
        #expect(overview.contains("--participants"))
        for line in overview.components(separatedBy: "\n") {
            #expect(!line.trimmingCharacters(in: .whitespaces).contains("     "), "\(line)")
        }
    }

    @Test(
        "wrong usage ends with exit code 2 and the reason on standard error",
        arguments: [
            ["serve", "--bogus"], ["serve", "--http-port"], ["serve", "--http-port", "x"],
            ["serve", "--config", "/none.json"],
            ["serve", "extra"], ["bogus"], ["doctor", "--media-workers", "0"],
        ])
    func badUsage(arguments: [String]) async throws {
        let result = try await MillraceProcess.run(arguments)
        #expect(result.status == 2)
        #expect(!result.errors.isEmpty)
        #expect(result.output.isEmpty)
    }

    @Test func everyFlagReachesItsKey() async throws {
        // Values that differ from the defaults.
        let values = [
            "http.address": "127.0.0.9", "http.corsOrigin": "https://a.example", "admin.token": "0123456789abcdef",
            "whip.token": "1123456789", "whep.token": "2123456789", "ice.servers": "stun:a.example",
            "dtls.certificate": "rsa", "tls": "self-signed", "video.codecs": "vp9", "http.tlsCertificate": "/tmp/c.pem",
            "http.tlsKey": "/tmp/k.pem",
            "apps": "shop:0123456789012345678901234567890123456789", "app.default": "shop",
            "webhook.url": "https://a.example/x", "webhook.secret": "3123456789", "issues.directory": "/tmp/i",
            "issues.bytes": "7000", "drain.minimumSeconds": "7",
            "limit.sdpBytes": "7000", "limit.canvasBytes": "20000000", "limit.queuedBytesPerUser": "2000000",
            "limit.queuedBytesPerToken": "2000001",
            "limit.queuedBytesPerAddress": "2000002",
            "media.address": "127.0.0.9", "media.advertised": "192.0.2.1", "media.protection": "evp",
            "media.offload": "off", "media.rawEgress": "automatic", "role.promotion": "capable",
            "mute.unmuteOthers": "direct",
            "record": "/tmp/a", "recording.directory": "/tmp/b", "log.level": "debug", "log.format": "json", "dev": "",
            "limit.retransmissionPercent": "7", "limit.taps": "7", "drain.seconds": "7", "media.workers": "7",
            "storage.url": "postgres://db/messages", "cluster.url": "postgres://db/cluster",
            "cluster.link": "192.0.2.1:7000",
            "cluster.listenAddress": "127.0.0.9", "cluster.ttlSeconds": "7",
            "media.port": "7000", "limit.receiveBufferBytes": "70000", "limit.sendBufferBytes": "70000",
            "limit.retransmissionBytes": "70000", "http.headerBytes": "7000", "http.bodyBytes": "7000",
        ]
        var arguments = ["serve", "--print-config", "--json"]
        for key in ConfigurationKey.all {
            arguments.append(key.flag)
            if !key.isSwitch { arguments.append(values[key.name] ?? "77") }
        }
        let result = try await MillraceProcess.run(arguments)
        #expect(result.status == 0, "\(result.errors)")
        let entries = try JSONDecoder().decode([ResolvedConfiguration.Entry].self, from: Data(result.output.utf8))
        for key in ConfigurationKey.all {
            let entry = try #require(entries.first { $0.key == key.name })
            #expect(entry.source == "flag \(key.flag)")
            let expected = key.isSecret ? "********" : key.isSwitch ? "true" : values[key.name] ?? "77"
            #expect(entry.value == expected, "\(key.name)")
        }
    }

    @Test func aPortInUseIsExitCode1() async throws {
        try await withRelay { relay, _ in
            let result = try await MillraceProcess.run([
                "serve", "--http-port", "\(relay.httpPort)", "--media-port", "0", "--webrtc-port", "0",
            ])
            #expect(result.status == 1)
            #expect(result.errors.contains("cannot listen for HTTP"))
            let doctor = try await MillraceProcess.run([
                "doctor", "--http-port", "\(relay.httpPort)", "--media-port", "0", "--webrtc-port", "0", "--json",
            ])
            #expect(doctor.status == 1)
            let findings = try JSONDecoder().decode([DoctorFinding].self, from: Data(doctor.output.utf8))
            #expect(findings.contains { $0.level == .fail && $0.check == "tcp \(relay.httpPort)" })
        }
    }

    @Test("the help of serve is arranged in groups, each key in one of them")
    func help() async throws {
        let text = try await MillraceProcess.run(["serve", "--help"]).output
        let titles = [
            "GENERAL:", "HTTP:", "APPS, WEBHOOKS AND REPORTS:", "MEDIA:", "WEBRTC:", "CONTROL CONNECTIONS:",
            "RECORDINGS AND MESSAGES:", "LIMITS:",
        ]
        let starts = titles.compactMap { text.range(of: "\n\($0)\n")?.lowerBound }
        #expect(starts.count == titles.count && starts == starts.sorted(), "\(text)")
        for (flag, group) in [
            ("--http-port ", 1), ("--media-workers ", 3), ("--webrtc-port ", 4), ("--limit-streams ", 7),
        ] {
            let start = try #require(text.range(of: flag)?.lowerBound)
            #expect(start > starts[group] && (group + 1 == starts.count || start < starts[group + 1]), "\(flag)")
        }
    }

    @Test("millrace configuration prints the example file and the tables, and requires one of them")
    func configurationTexts() async throws {
        let example = try await MillraceProcess.run(["configuration", "--example"])
        #expect(example.status == 0 && example.output == ConfigurationKey.example)
        let tables = try await MillraceProcess.run(["configuration", "--markdown"])
        #expect(tables.status == 0)
        for section in ConfigurationKey.sections {
            #expect(tables.output.contains(ConfigurationKey.markdown(section.keys)), "\(section.title)")
        }
        #expect(try await MillraceProcess.run(["configuration"]).status == 2)
    }

    @Test("a wrong flag gets the nearest flag as a suggestion, and a flag without its value names it")
    func suggestions() async throws {
        let wrong = try await MillraceProcess.run(["serve", "--http-prot", "1"])
        #expect(wrong.status == 2 && wrong.errors.contains("--http-port"), "\(wrong.errors)")
        let missing = try await MillraceProcess.run(["serve", "--http-port"])
        #expect(missing.status == 2 && missing.errors.contains("--http-port <value>"), "\(missing.errors)")
    }

    @Test("a switch can be given with no- before its name")
    func switches() async throws {
        let result = try await MillraceProcess.run(["serve", "--no-webrtc-tcp", "--print-config", "--json"])
        let entries = try JSONDecoder().decode([ResolvedConfiguration.Entry].self, from: Data(result.output.utf8))
        let entry = try #require(entries.first { $0.key == "webrtc.tcp" })
        #expect(entry.value == "false" && entry.source == "flag --webrtc-tcp")
    }

    @Test("a signal ends the relay with exit code 0", arguments: [SIGINT, SIGTERM])
    func signals(signal: Int32) async throws {
        let relay = try MillraceProcess(
            ["serve", "--http-port", "0", "--media-port", "0", "--webrtc-port", "0", "--drain-seconds", "0", "--json"])
        let line = await relay.firstLine()
        let ready = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let port = try #require((ready["url"] as? String).flatMap { URL(string: $0)?.port })
        #expect((ready["media"] as? [String])?.last == "127.0.0.1")
        let health = try await RawHTTPClient(port: port).request("GET", "/healthz")
        #expect(health.status == 200)
        relay.signal(signal)
        let status = await relay.wait()
        #expect(status == 0)
    }
}
