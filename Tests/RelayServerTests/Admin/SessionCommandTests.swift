import ControlServer
import Foundation
import MillraceTestKit
import Signaling
import Testing

@Suite(
    "millrace session", .serialized, .enabled(if: MillraceProcess.isBuilt, "the millrace product is not built"))
struct SessionCommandTests {
    private let token = "admin-token-of-16"

    private func with(
        _ body: (SessionsDouble, ControlServer, ([String]) async throws -> MillraceProcess.Result) async throws -> Void
    ) async throws {
        try await withDoubledSessions {
            $0.adminToken = token
        } _: { double, http, server in
            try await body(double, server) { arguments in
                try await MillraceProcess.run(
                    ["session"] + arguments + ["--url", "http://127.0.0.1:\(http.port)", "--token", token])
            }
        }
    }

    @Test func listsAndShows() async throws {
        try await with { double, _, run in
            try double.add("support 17", users: 2)
            try double.add("lobby", app: "bank")
            let list = try await run(["list"])
            #expect(list.status == 0, "\(list.errors)")
            let lines = list.output.split(separator: "\n")
            #expect(lines.count == 3 && lines[1].hasPrefix("bank") && lines[2].contains("support 17"))
            let json = try await run(["list", "--app", "shop", "--json"])
            let sessions = try JSONDecoder().decode([SessionOverview].self, from: Data(json.output.utf8))
            #expect(sessions.map(\.name) == ["support 17"])
            let show = try await run(["show", "Support 17"])
            #expect(show.status == 0 && show.output.contains("User 1") && show.output.contains("640x360"))
            let all = try await run(["show", "support 17", "--json"])
            let object = try #require(try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [String: Any])
            #expect((object["participants"] as? [Any])?.count == 2 && (object["streams"] as? [Any])?.count == 2)
        }
    }

    @Test("--quality shows a line for each direction of a participant's media") func quality() async throws {
        var quality = QualityAnswer()
        quality.subscribed = (0..<20).map { second in
            .init(
                at: Int64(second) * 1_000, packets: 100, lost: second < 10 ? 0 : 4, bitrate: 900_000,
                roundTrip: second == 3 ? 80 : 20,
                availableBitrate: 1_500_000 - 10_000 * second, layer: 1, temporalLayer: 3, height: 360,
                frozen: second == 12 ? 1 : 0)
        }
        let shown = quality
        try await with { double, _, run in
            try double.add("lobby", users: 1)
            let none = try await run(["show", "lobby", "--quality"])
            #expect(none.status == 0 && none.output == "no media\n", "\(none.output)\(none.errors)")
            try double.set(shown, in: "lobby")
            let table = try await run(["show", "lobby", "--quality"])
            let lines = table.output.split(separator: "\n")
            #expect(table.status == 0 && lines.count == 2, "\(table.output)\(table.errors)")
            for cell in [
                "User 0", "receives", "20 s", "900 kb/s", "2.0 %", "4.0 %", "20 ms", "80 ms", "1310 kb/s", "1.3", "360",
                "1 s",
            ] { #expect(lines[1].contains(cell), "\(cell): \(lines[1])") }
            let json = try await run(["show", "lobby", "--quality", "--json"])
            let all = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
            let answer = all[0]["quality"] as? [String: Any]
            #expect((answer?["subscribed"] as? [Any])?.count == 20 && (answer?["published"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func actsOnASession() async throws {
        try await with { double, server, run in
            try double.add("lobby", users: 2)
            for arguments in [
                ["mute", "lobby", "--stream", "s1", "--kind", "video"], ["mute", "lobby", "--stream", "s1", "--off"],
                ["mute", "lobby", "--participant", "c0"], ["mute-all", "lobby", "--except", "s0"],
                ["mute-all", "lobby", "--off"], ["lock-share", "lobby"], ["lock-share", "lobby", "--off"],
                ["signal", "lobby", "notice", "at noon"], ["signal", "lobby", "refresh", "--to", "c1"],
                ["unpublish", "lobby", "s1"], ["remove", "lobby", "c1"], ["end", "lobby", "--json"],
            ] {
                let result = try await run(arguments)
                #expect(result.status == 0, "\(arguments): \(result.errors)")
            }
            #expect(
                double.deeds == [
                    "mute shop/lobby s1 video", "unmute shop/lobby s1 audio", "mute shop/lobby c0 audio",
                    "mute all shop/lobby [\"s0\"]", "unmute all shop/lobby", "lock shop/lobby", "unlock shop/lobby",
                    "signal shop/lobby notice at noon -", "signal shop/lobby refresh  c1", "unpublish shop/lobby s1",
                    "remove shop/lobby c1", "end shop/lobby",
                ])
            let drain = try await run(["drain", "--seconds", "7", "--to", "wss://b.example"])
            #expect(drain.status == 0)
            var orders = server.parts.drain.orders.makeAsyncIterator()
            #expect(await orders.next() == DrainOrder(seconds: 7, url: "wss://b.example"))
        }
    }

    @Test("ISS-1 a report is printed and saved") func issue() async throws {
        let folder = TemporaryFolder()
        try await with { _, server, run in
            let head = IssueHead(
                app: "shop", session: "lobby", sessionID: SessionID(rawValue: "s"),
                connection: ConnectionID(rawValue: "c"), note: "no sound", reportedAt: 5)
            let bundle = Array(
                #"{"packets":{"publish":{"published":[{"headers":["9.1 7 960 120","8.1 8 1920 120 M"]}]}},"streams":["s1"]}"#
                    .utf8)
            let id = try await server.parts.issues.keep(head, bundle: bundle)
            let list = try await run(["issue"])
            #expect(list.status == 0 && list.output.contains(id) && list.output.contains("no sound"))
            let file = folder.path + "/report.json"
            let one = try await run(["issue", id, "--output", file])
            #expect(one.status == 0 && one.output.contains("\"s1\""), "\(one.errors)")
            #expect(one.output.contains("2 packets") && !one.output.contains("1920"))
            #expect(FileManager.default.contents(atPath: file) == Data(bundle))
        }
    }

    @Test func refusalsAreExitCode1() async throws {
        try await with { double, _, run in
            for arguments in [
                ["show", "nowhere"], ["end", "nowhere"], ["remove", "nowhere", "c"], ["tap", "nowhere", "s"],
                ["record", "start", "nowhere", "s"], ["issue", "00"],
            ] {
                let result = try await run(arguments)
                #expect(result.status == 1 && !result.errors.isEmpty && result.output.isEmpty, "\(arguments)")
            }
            #expect(double.deeds.isEmpty)
        }
        try await withDoubledSessions {
            $0.adminToken = token
        } _: { _, http, _ in
            let url = "http://127.0.0.1:\(http.port)"
            let stranger = try await MillraceProcess.run(["session", "list", "--url", url])
            #expect(stranger.status == 1 && stranger.errors.contains("MILLRACE_ADMIN_TOKEN"))
        }
        let nobody = try await MillraceProcess.run(["session", "list", "--url", "http://127.0.0.1:1"])
        #expect(nobody.status == 1 && nobody.errors.contains("cannot connect"))
    }

    @Test("CAN-2 a stream's canvas is written to a file or to standard output") func tap() async throws {
        let folder = TemporaryFolder()
        try await withRelay { relay, http in
            try await withMedia(relay, http: http) { media in
                let file = folder.path + "/still.png"
                let arguments = [
                    "session", "tap", media.session, media.stream, "--url", relay.url, "--output", file,
                ]
                var result = try await MillraceProcess.run(arguments)
                // The first frame may take a moment.
                for _ in 0..<20 where result.status != 0 { result = try await MillraceProcess.run(arguments) }
                #expect(result.status == 0, "\(result.errors)")
                #expect(FileManager.default.contents(atPath: file)?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
            }
        }
    }
}
