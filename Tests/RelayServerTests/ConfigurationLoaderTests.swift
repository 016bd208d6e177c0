import Foundation
import MediaEngine
import Testing

@testable import RelayServer

@Suite("Configuration: flag > environment > file > default")
struct ConfigurationLoaderTests {
    /// Runs `body` with a temporary file of this content.
    @discardableResult
    private func withFile<R>(_ name: String, _ text: String, _ body: (String) async throws -> R) async throws -> R {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: name)
        try Data(text.utf8).write(to: file)
        return try await body(file.path)
    }

    @Test func defaultsComeFromTheStruct() async throws {
        let resolved = try await ConfigurationLoader().load()
        #expect(resolved.configuration == RelayConfiguration())
        #expect(resolved.entries.count == ConfigurationKey.all.count)
        #expect(resolved.entries.allSatisfy { $0.source == "default" })
    }

    @Test func eachLayerBeatsTheNext() async throws {
        try await withFile("relay.json", #"{"http":{"port":1001,"bodyBytes":2048,"idleSeconds":7},"dev":true}"#) {
            file in
            let resolved = try await ConfigurationLoader(
                flags: ["http.port": "1003"],
                environment: ["MILLRACE_HTTP_PORT": "1002", "MILLRACE_HTTP_BODY_BYTES": "4096", "PATH": "/bin"],
                file: file
            ).load()
            #expect(resolved.configuration.httpPort == 1003)
            #expect(resolved.configuration.httpBodyBytes == 4096)
            #expect(resolved.configuration.httpIdleSeconds == 7)
            #expect(resolved.configuration.development)
            #expect(resolved.sources["http.port"] == .flag("--http-port"))
            #expect(resolved.sources["http.bodyBytes"] == .environment("MILLRACE_HTTP_BODY_BYTES"))
            #expect(resolved.sources["http.idleSeconds"] == .file(file))
            #expect(resolved.sources["media.port"] == nil)
            #expect(resolved.warnings.isEmpty)
            #expect(resolved.text.contains("http.port = 1003"))
            #expect(resolved.text.contains("# environment MILLRACE_HTTP_BODY_BYTES"))
        }
    }

    @Test func yamlReadsLikeJSON() async throws {
        let yaml = """
            http:
              port: 8080
              corsOrigin: "https://example.org"
            media:
              protection: evp
            log: { level: debug, format: json }
            record: "/tmp/with, comma"
            """
        try await withFile("relay.yaml", yaml) { file in
            let configuration = try await ConfigurationLoader(file: file).load().configuration
            #expect(configuration.httpPort == 8080)
            #expect(configuration.httpCORSOrigin == "https://example.org")
            #expect(configuration.mediaProtection == .evp)
            #expect(configuration.logLevel == "debug")
            #expect(configuration.logFormat == .json)
            #expect(configuration.record == "/tmp/with, comma")
        }
    }

    @Test func listsAreListsOrTextWithCommas() async throws {
        for text in [
            #"{"media":{"advertised":["192.0.2.1","2001:db8::1"]},"ice":{"servers":["stun:a.example","turn:b.example:3478?transport=udp"]}}"#,
            #"{"media":{"advertised":"192.0.2.1, 2001:db8::1"},"ice":{"servers":"stun:a.example,turn:b.example:3478?transport=udp"}}"#,
        ] {
            try await withFile("relay.json", text) { file in
                let configuration = try await ConfigurationLoader(file: file).load().configuration
                #expect(configuration.advertisedAddresses == ["192.0.2.1", "2001:db8::1"])
                #expect(configuration.engine.advertisedAddress == "192.0.2.1")
                #expect(configuration.engine.webRTC.advertisedAddresses == ["192.0.2.1", "2001:db8::1"])
                #expect(
                    configuration.control.iceServers.map(\.url) == [
                        "stun:a.example", "turn:b.example:3478?transport=udp",
                    ])
            }
        }
    }

    @Test func theEngineGetsItsWebRTCSettings() async throws {
        let configuration = try await ConfigurationLoader(flags: [
            "webrtc.port": "9000", "webrtc.tcp": "false", "dtls.certificate": "rsa", "bandwidth.minimumKilobits": "20",
            "bandwidth.startKilobits": "300", "bandwidth.maximumKilobits": "4000", "audio.loudest": "3",
            "limit.unestablished": "40", "limit.connectSeconds": "5", "limit.consentSeconds": "60",
        ]).load().configuration
        let webRTC = configuration.engine.webRTC
        #expect(webRTC.port == 9000 && !webRTC.tcp && webRTC.certificate == .rsa && webRTC.loudestAudio == 3)
        #expect(
            [webRTC.minimumBitrate, webRTC.startBitrate, webRTC.maximumBitrate].map(\.rawValue)
                == [20_000, 300_000, 4_000_000])
        #expect(webRTC.unestablishedTransports == 40)
        #expect(webRTC.connectTimeout == .seconds(5) && webRTC.consentTimeout == .seconds(60))
    }

    @Test func theFirstEstimateLiesWithinTheBounds() {
        var configuration = RelayConfiguration()
        configuration.bandwidthStartKilobits = 49
        #expect(throws: ConfigurationError.self) { try configuration.validate() }
        configuration.bandwidthStartKilobits = 50_001
        #expect(throws: ConfigurationError.self) { try configuration.validate() }
        // A minimum above the maximum is an error and does not trap.
        configuration.bandwidthMinimumKilobits = 60_000
        #expect(throws: ConfigurationError.self) { try configuration.validate() }
    }

    @Test("conversations are in a directory or in a database, and those of a cluster in a database")
    func storageOfConversations() {
        let url = "postgres://db/millrace"
        for (directory, storage, cluster, isValid) in [
            ("/var/lib/a", "", "", true), ("", url, "", true), ("", url, url, true), ("", "", url, true),
            ("/var/lib/a", url, "", false), ("/var/lib/a", "", url, false),
        ] {
            var configuration = RelayConfiguration()
            configuration.storageDirectory = directory
            configuration.storageURL = storage
            configuration.clusterURL = cluster
            #expect(((try? configuration.validate()) != nil) == isValid, "\(directory) \(storage) \(cluster)")
        }
    }

    @Test(
        "every key can be set by its flag and by its environment variable", arguments: ConfigurationKey.all.map(\.name))
    func everyKeyIsReachable(name: String) async throws {
        let key = try #require(ConfigurationKey.named(name))
        let text = key.defaultText
        let byFlag = try await ConfigurationLoader(flags: [name: text]).load()
        #expect(byFlag.sources[name] == .flag(key.flag))
        let byVariable = try await ConfigurationLoader(environment: [key.environmentVariable: text]).load()
        #expect(byVariable.sources[name] == .environment(key.environmentVariable))
        #expect(byVariable.warnings.isEmpty)
        #expect(byVariable.configuration == RelayConfiguration())
    }

    @Test(
        "the error of an invalid value names the key, value, range and source",
        arguments: [
            ("http.port", "65536", "0 to 65535"), ("http.port", "eighty", "0 to 65535"),
            ("http.port", "", "0 to 65535"),
            ("http.port", "-1", "0 to 65535"), ("media.workers", "0", "1 to 64"),
            ("media.port", "7883", "an even number, 0 to 65000"),
            ("media.protection", "fast", "automatic, evp, multiBuffer"), ("dev", "maybe", "true, false"),
            ("log.level", "loud", "trace, debug, info, notice, warning, error, critical"),
            ("media.address", "localhost", "a numeric address"),
            ("media.advertised", "192.0.2.1,localhost", "up to 16 numeric addresses with commas between them"),
            ("media.advertised", "192.0.2.1,192.0.2.1", "up to 16 numeric addresses with commas between them"),
            ("webrtc.port", "65001", "0 to 65000"), ("dtls.certificate", "dsa", "ecdsa, rsa"),
            (
                "ice.servers", "http://a.example",
                "up to 16 stun:, stuns:, turn: and turns: URLs with commas between them"
            ),
            (
                "ice.servers", "stun:a.example>",
                "up to 16 stun:, stuns:, turn: and turns: URLs with commas between them"
            ),
            ("ice.username", "a\"b", "up to 512 printable ASCII characters but \" and \\"),
            ("http.address", "", "a numeric address"), ("http.address", "relay.example", "a numeric address"),
            (
                "http.corsOrigin", "https://a.example/x",
                "up to 64 origins such as https://app.example with commas between them, *, or nothing"
            ),
            (
                "http.corsOrigin", "https://a.example,*",
                "up to 64 origins such as https://app.example with commas between them, *, or nothing"
            ),
            ("limit.sdpBytes", "65537", "1024 to 65536"), ("limit.consentSeconds", "0", "5 to 600"),
        ])
    func badValue(name: String, value: String, allowed: String) async throws {
        let key = try #require(ConfigurationKey.named(name))
        await #expect(
            throws: ConfigurationError.badValue(key: name, value: value, allowed: allowed, source: .flag(key.flag))
        ) { try await ConfigurationLoader(flags: [name: value]).load() }
        await #expect(
            throws: ConfigurationError.badValue(
                key: name, value: value, allowed: allowed, source: .environment(key.environmentVariable))
        ) { try await ConfigurationLoader(environment: [key.environmentVariable: value]).load() }
    }

    @Test func aSecretIsNeverShown() async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await ConfigurationLoader(environment: ["MILLRACE_ADMIN_TOKEN": "short"]).load()
        }
        #expect(error?.description.contains("short") == false)
        let resolved = try await ConfigurationLoader(flags: ["admin.token": "a-long-admin-secret"]).load()
        #expect(resolved.configuration.adminToken == "a-long-admin-secret")
        #expect(!resolved.text.contains("a-long-admin-secret"))
        #expect(try !resolved.json().contains("a-long-admin-secret"))
    }

    @Test func aSlipInTheFileIsAnErrorWithASuggestion() async throws {
        for (name, text) in [("a.json", #"{"http":{"prot":1}}"#), ("a.yaml", "http:\n  prot: 1\n")] {
            try await withFile(name, text) { file in
                await #expect(
                    throws: ConfigurationError.unknownKey(key: "http.prot", nearest: "http.port", source: .file(file))
                ) { try await ConfigurationLoader(file: file).load() }
            }
        }
    }

    @Test(arguments: [
        ("a.json", "{"), ("a.json", "[]"), ("a.yaml", "- a\n- b\n"), ("a.toml", "a = 1"),
        ("a.json", #"{"http":{"port":[1,2]}}"#),
    ])
    func aBrokenFileIsATypedError(name: String, text: String) async throws {
        try await withFile(name, text) { file in
            await #expect(throws: ConfigurationError.self) { try await ConfigurationLoader(file: file).load() }
        }
        await #expect(throws: ConfigurationError.self) {
            try await ConfigurationLoader(file: "/nowhere/" + name).load()
        }
    }

    @Test func strangeVariablesAreWarnedAbout() async throws {
        let resolved = try await ConfigurationLoader(environment: ["MILLRACE_HTTP_PROT": "1"]).load()
        #expect(resolved.warnings == ["the environment variable MILLRACE_HTTP_PROT sets nothing"])
    }

    #if DEBUG
        @Test(arguments: Fault.allCases)
        func theEnvironmentNamesAFault(_ fault: Fault) async throws {
            let resolved = try await ConfigurationLoader(environment: ["MILLRACE_FAULT": fault.rawValue]).load()
            #expect(resolved.configuration.fault == fault)
            #expect(resolved.configuration.engine.fault == fault)
            #expect(resolved.warnings.isEmpty)
        }

        @Test func anUnknownFaultIsAnError() async throws {
            let start = #"fault: "drop" (from environment MILLRACE_FAULT) is not allowed; allowed: drop-video, drop-"#
            await #expect {
                try await ConfigurationLoader(environment: ["MILLRACE_FAULT": "drop"]).load()
            } throws: {
                "\($0)".hasPrefix(start)
            }
            let none = try await ConfigurationLoader(environment: ["MILLRACE_FAULT": ""]).load()
            #expect(none.configuration.fault == nil)
        }
    #else
        @Test func aReleaseBuildHasNoFaults() async throws {
            let resolved = try await ConfigurationLoader(environment: ["MILLRACE_FAULT": "freeze"]).load()
            let start = "the environment variable MILLRACE_FAULT sets nothing: this is a release build"
            #expect(resolved.warnings.count == 1 && resolved.warnings[0].hasPrefix(start))
        }
    #endif

    @Test func codeIsHeldToTheSameRanges() {
        var configuration = RelayConfiguration()
        configuration.limitTaps = 0
        #expect(throws: ConfigurationError.badValue(key: "limit.taps", value: "0", allowed: "1 to 256", source: .code))
        {
            try configuration.validate()
        }
    }
}
