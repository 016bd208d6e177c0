#if DEBUG
    import Foundation
    import Testing

    @testable import RelayServer

    /// A relay with an injected trap, in a separate process.
    @Suite("A crash of the relay", .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"))
    struct CrashTests {
        private static let ports = ["--http-port", "0", "--media-port", "0", "--webrtc-port", "0"]
        /// Signal that the overflow raises.
        #if arch(x86_64)
            private static let trapSignal = SIGILL
        #else
            private static let trapSignal = SIGTRAP
        #endif

        private func withFolder(_ body: (String) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await body(folder.path)
        }

        private func port(of relay: MillraceProcess) async throws -> Int {
            let line = await relay.firstLine()
            let ready = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return try #require((ready["url"] as? String).flatMap { URL(string: $0)?.port })
        }

        /// Publishes a stream and subscribes to it, which triggers the injected trap.
        private func publishAndSubscribe(_ port: Int, token: String? = nil) async throws {
            let http = RawHTTPClient(port: port)
            let fields = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
            let path = "/v1/sessions/top-secret-name/plain"
            let publish = #"{"direction":"publish","stream":"cam","audio":{"ssrc":1001,"payloadType":111}}"#
            #expect(try await http.request("POST", path, body: publish, fields: fields).status == 201)
            let subscribe = #"{"direction":"subscribe","address":"127.0.0.1","audio":{"port":9}}"#
            #expect(try await http.request("POST", path, body: subscribe, fields: fields).status == 201)
        }

        private func number(_ pattern: Regex<(Substring, Substring)>, in text: String) throws -> Int {
            let match = try #require(text.firstMatch(of: pattern))
            return try #require(Int(match.1))
        }

        @Test("an injected trap leaves a report of stack, decisions and counters within 200 ms")
        func report() async throws {
            try await withFolder { folder in
                let token = "a-token-that-nobody-may-read"
                let relay = try MillraceProcess(
                    [
                        "serve", "--json", "--crash-directory", folder, "--admin-token", token, "--http-address",
                        "127.0.0.1",
                    ]
                        + Self.ports, environment: ["MILLRACE_FAULT": "trap"])
                try await publishAndSubscribe(try await port(of: relay), token: token)
                #expect(await relay.waitForSignal() == Self.trapSignal)
                let errors = await relay.errorText()

                let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
                #expect(name.hasSuffix("-\(relay.identifier).new"))
                let file = folder + "/" + name
                #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("build: 0.1.0 debug") && text.contains("thread: media-0 ("))
                #expect(text.contains("\nprocess: \(relay.identifier)\n"))
                // The process ends directly after the last line.
                let entered = try number(/\nentered: (\d+) ns/, in: text)
                let end = try number(/\nend: (\d+) ns/, in: text)
                #expect(end > entered && end - entered < 200_000_000, "\((end - entered) / 1_000) us")
                // The overflowing function and the one that called it.
                let symbols = try #require(text.components(separatedBy: "\nsymbols:\n").dropFirst().first)
                #expect(symbols.hasPrefix("#0 $s11MediaEngine13FaultInjectorV"))
                #expect(symbols.contains("overflowCounters") && symbols.contains("trapWhenDue"))
                #expect(text.contains(/\nbacktrace:\n#0 0x[0-9a-f]+ millrace\+0x[0-9a-f]+\n#1 0x/))
                #expect(text.contains(/\d+ -\d\.\d{6} media-0 subscriberOpened 0 session=[0-9a-f]{16} subject=/))
                #expect(text.contains("control participantJoined 0 session="))
                #expect(text.contains("\ncounters of media-0:\ndatagramsReceived 0\n"))
                #expect(try number(/\nworkerCPU (\d+)\n/, in: text) > 0)
                #expect(errors.contains("signal: ") && errors.contains("overflowCounters"))
                #expect(errors.contains("report: \(name)"))
                let summary = try #require(errors.components(separatedBy: "millrace crash report").dropFirst().first)
                for secret in [token, "top-secret-name"] {
                    #expect(!text.contains(secret) && !summary.contains(secret))
                }
            }
        }

        @Test("the next start, the doctor and a metric mention the report")
        func nextStart() async throws {
            try await withFolder { folder in
                let report = folder + "/crash-20260101T000000Z-9"
                try Data("report".utf8).write(to: URL(filePath: report + ".new"))
                let relay = try MillraceProcess(["serve", "--json", "--crash-directory", folder] + Self.ports)
                let metrics = try await RawHTTPClient(port: port(of: relay)).request("GET", "/metrics").text
                #expect(metrics.contains("\nmillrace_crash_reports 1\n"))
                let doctor = try await MillraceProcess.run(
                    ["doctor", "--json", "--crash-directory", folder] + Self.ports)
                let findings = try JSONDecoder().decode([DoctorFinding].self, from: Data(doctor.output.utf8))
                let finding = try #require(findings.first { $0.check == "crash reports" })
                #expect(finding.level == .warn && finding.detail.contains(report + ".txt"))
                relay.signal(SIGTERM)
                #expect(await relay.wait() == 0)
                #expect(await relay.errorText().contains(report + ".txt"))
                // The file of the run without a crash is removed.
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["crash-20260101T000000Z-9.txt"])
            }
        }

        @Test(
            "without a directory the report goes to standard error; a signal from another process is reported, too"
        )
        func standardError() async throws {
            let relay = try MillraceProcess(
                ["serve", "--json", "--drain-seconds", "0"] + Self.ports, environment: ["MILLRACE_FAULT": "trap"])
            try await publishAndSubscribe(try await port(of: relay))
            #expect(await relay.waitForSignal() == Self.trapSignal)
            let errors = await relay.errorText()
            #expect(errors.contains("\ndecisions: ") && errors.contains("\ncounters of media-0:\n"))
            #expect(errors.contains("\nend: "))

            let killed = try MillraceProcess(["serve", "--json"] + Self.ports)
            _ = try await port(of: killed)
            killed.signal(SIGABRT)
            #expect(await killed.waitForSignal() == SIGABRT)
            let text = await killed.errorText()
            #expect(text.contains("signal: SIGABRT") && text.contains("\nend: "))
        }
    }
#endif
