import ControlServer
import Foundation
import MillraceTokens
import Signaling
import Testing

@Suite("Admin API")
struct AdminEndpointTests {
    private let sessions = "/v1/admin/sessions"

    @Test func sessionsComeInPages() async throws {
        try await withDoubledSessions { double, http, _ in
            for app in ["bank", "shop"] { for number in 0..<5 { try double.add("room \(number)/ä", app: app) } }
            var names: [String] = []
            var after: String?
            repeat {
                let query = after.map {
                    "&after=" + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
                }
                let page = try await http.request("GET", "\(sessions)?limit=3\(query ?? "")").json
                let items = try #require(page["sessions"] as? [[String: Any]])
                #expect((1...3).contains(items.count))
                names += items.compactMap { "\($0["app"] ?? "")/\($0["name"] ?? "")" }
                after = page["next"] as? String
            } while after != nil
            #expect(names == ["bank", "shop"].flatMap { app in (0..<5).map { "\(app)/room \($0)/ä" } })
            let shop = try await http.request("GET", "\(sessions)?app=shop").json
            #expect((shop["sessions"] as? [Any])?.count == 5 && shop["next"] == nil)
        }
    }

    @Test func participantsAndStreamsComeInPages() async throws {
        try await withDoubledSessions { double, http, _ in
            try double.add("lobby", users: 250)
            for (part, prefix) in [("participants", "c"), ("streams", "s")] {
                let first = try await http.request("GET", "\(sessions)/Lobby/\(part)").json
                #expect((first[part] as? [Any])?.count == 100 && first["next"] as? String == "\(prefix)99")
                let last = try await http.request("GET", "\(sessions)/lobby/\(part)?after=\(prefix)199&limit=50").json
                #expect((last[part] as? [Any])?.count == 50 && last["next"] == nil)
                let gone = try await http.request("GET", "\(sessions)/lobby/\(part)?after=x")
                #expect(try gone.status == 422 && gone.json["field"] as? String == "after")
            }
            let one = try await http.request("GET", "\(sessions)/lobby/participants/c7").json
            #expect(one["name"] as? String == "User 7")
            let overview = try await http.request("GET", "\(sessions)/lobby").json
            #expect(overview["participants"] as? Int == 250 && overview["app"] as? String == "shop")
        }
    }

    @Test("The quality of a participant as JSON and as comma-separated values") func quality() async throws {
        var quality = QualityAnswer()
        quality.published = [.init(at: 1_000, packets: 50, lost: 1, bitrate: 32_000, frozen: 0)]
        quality.subscribed = [
            .init(
                at: 2_000, packets: 300, lost: 0, bitrate: 900_000, roundTrip: 41.5, availableBitrate: 1_500_000,
                layer: 1,
                temporalLayer: 3, height: 360, frozen: 1)
        ]
        try await withDoubledSessions { double, http, _ in
            try double.add("lobby", users: 1)
            try double.set(quality, in: "lobby")
            let json = try await http.request("GET", "\(sessions)/lobby/participants/c0/quality")
            let decoded = try JSONDecoder().decode(QualityAnswer.self, from: Data(json.text.utf8))
            #expect(decoded.published == quality.published && decoded.subscribed == quality.subscribed)
            let table = try await http.request("GET", "\(sessions)/lobby/participants/c0/quality.csv")
            #expect(table.fields["content-type"]?.hasPrefix("text/csv") == true)
            #expect(
                table.text.split(separator: "\r\n") == [
                    "at,direction,packets,lost,bitrate,roundTrip,availableBitrate,layer,temporalLayer,height,frozen",
                    "1000,published,50,1,32000,,,,,,0", "2000,subscribed,300,0,900000,41.5,1500000,1,3,360,1",
                ])
        }
    }

    @Test func deedsReachTheSession() async throws {
        try await withDoubledSessions { double, http, _ in
            try double.add("lobby", users: 2)
            try double.add("lobby", app: "bank", users: 1)
            let lobby = sessions + "/lobby"
            let made = try await http.request(
                "POST", sessions, body: #"{"name":"New One","password":"x","app":"bank"}"#)
            #expect(made.status == 201 && made.fields["location"] == "\(sessions)/new%20one?app=bank")
            let steps: [(String, String, String?)] = [
                ("POST", "\(lobby)/participants/c1/mute", #"{"kind":"video"}"#),
                ("PUT", "\(lobby)/streams/s1/mute", #"{"kind":"audio","muted":true}"#),
                ("PUT", "\(lobby)/streams/s1/mute", #"{"kind":"audio","muted":false}"#),
                ("PUT", "\(lobby)/mute-all", #"{"muted":true,"excluding":["s1"]}"#),
                ("PUT", "\(lobby)/mute-all", #"{"muted":false}"#),
                ("PUT", "\(lobby)/share-lock", #"{"locked":true}"#),
                ("POST", "\(lobby)/signals?app=bank", #"{"type":"notice","data":"at noon"}"#),
                ("POST", "\(lobby)/signals", #"{"type":"refresh","to":"c1"}"#),
                ("DELETE", "\(lobby)/streams/s0", nil),
                ("DELETE", "\(lobby)/participants/c0", nil), ("DELETE", "\(lobby)?app=bank", nil),
            ]
            for (method, path, body) in steps {
                let answer = try await http.request(method, path, body: body)
                #expect(answer.status == 204, "\(method) \(path): \(answer.text)")
            }
            #expect(
                double.deeds == [
                    "create bank/new one x", "mute shop/lobby c1 video", "mute shop/lobby s1 audio",
                    "unmute shop/lobby s1 audio", "mute all shop/lobby [\"s1\"]", "unmute all shop/lobby",
                    "lock shop/lobby", "signal bank/lobby notice at noon -", "signal shop/lobby refresh  c1",
                    "unpublish shop/lobby s0", "remove shop/lobby c0", "end bank/lobby",
                ])
        }
    }

    @Test("LIV-1 the operator starts, lists and ends live streams") func live() async throws {
        try await withDoubledSessions { double, http, _ in
            try double.add("lobby", users: 1)
            let path = sessions + "/lobby/live"
            let body = #"{"to":"https://live.example/whip","token":"t","stream":"s0"}"#
            let made = try await http.request("POST", path, body: body)
            #expect(made.status == 201 && made.text == #"{"id":"live1"}"#)
            #expect(made.fields["location"] == "\(path)/live1?app=shop")
            let plain = #"{"to":"http://live.example/whip","stream":"s0","allowHTTP":true}"#
            #expect(try await http.request("POST", path, body: plain).status == 201)
            let list = try await http.request("GET", path)
            #expect(list.text == #"{"live":[{"id":"live1","isLive":true,"stream":"s0"}]}"#, "\(list.text)")
            #expect(try await http.request("DELETE", path + "/live1").status == 204)
            #expect(
                double.deeds == [
                    "live shop/lobby s0 https://live.example/whip t false",
                    "live shop/lobby s0 http://live.example/whip - true", "stop shop/lobby live1",
                ])
        }
    }

    @Test(
        "unknown targets and invalid requests get their error, and change nothing",
        arguments: [
            ("GET", "/nowhere", nil, 404, "unknownSession"), ("DELETE", "/nowhere", nil, 404, "unknownSession"),
            ("GET", "/lobby?app=bank", nil, 404, "unknownSession"),
            ("GET", "/lobby?app=a%20b", nil, 422, "invalidField"),
            ("GET", "/%0a", nil, 400, "invalidSessionName"),
            ("GET", "?limit=0", nil, 422, "invalidField"), ("GET", "?limit=1001", nil, 422, "invalidField"),
            ("GET", "?limit=x", nil, 422, "invalidField"), ("GET", "?after=x", nil, 422, "invalidField"),
            ("GET", "/lobby/participants/c9", nil, 404, "unknownUser"),
            ("GET", "/lobby/participants/c9/quality", nil, 404, "unknownUser"),
            ("GET", "/nowhere/participants/c0/quality.csv", nil, 404, "unknownSession"),
            ("PUT", "/lobby/participants/c0/quality", "{}", 405, "methodNotAllowed"),
            ("DELETE", "/lobby/participants/c9", nil, 404, "unknownUser"),
            ("POST", "/lobby/participants/c9/mute", #"{"kind":"audio"}"#, 404, "unknownUser"),
            ("POST", "/lobby/participants/c0/mute", #"{"kind":"smell"}"#, 422, "invalidField"),
            ("POST", "/lobby/participants/c0/mute", "{", 400, "invalidJSON"),
            ("PUT", "/lobby/streams/s9/mute", #"{"kind":"audio","muted":true}"#, 404, "unknownStream"),
            ("PUT", "/lobby/streams/s0/mute", #"{"kind":"audio"}"#, 422, "invalidField"),
            ("DELETE", "/lobby/streams/s9", nil, 404, "unknownStream"),
            ("PUT", "/lobby/mute-all", "{}", 422, "invalidField"),
            ("PUT", "/nowhere/share-lock", #"{"locked":true}"#, 404, "unknownSession"),
            ("POST", "/lobby/signals", #"{"type":"x","to":"c9"}"#, 404, "unknownUser"),
            ("GET", "/nowhere/live", nil, 404, "unknownSession"),
            ("POST", "/lobby/live", #"{"to":"https://a/","stream":"s9"}"#, 404, "unknownStream"),
            ("POST", "/lobby/live", #"{"stream":"s0"}"#, 422, "invalidField"),
            ("DELETE", "/lobby/live/live9", nil, 404, "unknownLive"),
            ("POST", "", #"{"name":""}"#, 400, "invalidSessionName"),
            ("POST", "", #"{"name":"a","app":"a b"}"#, 422, "invalidField"),
            ("POST", "/lobby", "{}", 405, "methodNotAllowed"),
        ] as [(String, String, String?, Int, String)])
    func refused(method: String, path: String, body: String?, status: Int, code: String) async throws {
        try await withDoubledSessions { double, http, _ in
            try double.add("lobby", users: 1)
            let answer = try await http.request(method, sessions + path, body: body)
            #expect(answer.status == status && answer.problemCode == code, "\(answer.text)")
            #expect(double.deeds.isEmpty)
        }
    }

    @Test("every route that needs a token refuses requests without the right one") func strangers() async throws {
        let secret = "shop-secret-shop-secret-shop-secret"
        var grant = TokenGrant(session: "lobby")
        try grant.set(role: "host")
        let now = Int64(Date().timeIntervalSince1970)
        let session = try TokenMinter(app: "shop", secret: secret).mint(grant, now: now)
        try await withDoubledSessions { configuration in
            configuration.adminToken = "administrator-1"
            configuration.wrongTokensPerMinute = 1_000_000
            configuration.publishToken = "publish-token-1"
            configuration.viewToken = "view-token-1"
        } _: { double, http, server in
            try double.add("lobby", users: 1)
            for route in server.catalogue.routes where route.access != .open && route.access != .session {
                let path = route.path.replacing("{session}", with: "lobby").replacing("{stream}", with: "s0")
                    .replacing("{participant}", with: "c0").replacing("{id}", with: "x").replacing("{issue}", with: "x")
                // WHIP and WHEP also accept session tokens.
                let takesSessionTokens = route.access == .publish || route.access == .view
                for token in [nil, "x", "administrator-2"] + (takesSessionTokens ? [] : [session]) {
                    let fields = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
                    let answer = try await http.request(route.method, path, body: "{}", fields: fields)
                    #expect(answer.status == 401, "\(route.method) \(path)")
                    if route.method != "HEAD" { #expect(answer.problemCode == "unauthorized") }
                    #expect(answer.fields["www-authenticate"]?.isEmpty == false)
                }
            }
            #expect(double.deeds.isEmpty)
            let admin = try await http.request(
                "GET", sessions, fields: ["Authorization": "Bearer administrator-1"])
            #expect(admin.status == 200)
        }
    }

    @Test func withoutATokenPagesOfOthersAreRefused() async throws {
        try await withDoubledSessions { double, http, _ in
            for (origin, status) in [
                ("https://evil.example", 403), ("null", 403), ("http://localhost:1", 403), ("http://localhost", 200),
            ] {
                for path in [sessions, "/v1/sessions"] {
                    let answer = try await http.request("GET", path, fields: ["Origin": origin])
                    #expect(answer.status == status, "\(origin) \(path)")
                }
            }
        }
    }

    @Test func theRelayInNumbers() async throws {
        try await withDoubledSessions { double, http, _ in
            double.state.withLockedValue {
                $0.gauges.sessions = 3
                $0.gauges.users = [.client: 4, .publisher: 2]
                $0.gauges.connections = 5
                $0.gauges.joins = 6
                $0.gauges.disconnects = [.left: 7]
                $0.gauges.refusals = [.notPermitted: 8]
            }
            let relay = try await http.request("GET", "/v1/admin/relay").json
            #expect(relay["participants"] as? Int == 6 && relay["isDraining"] as? Bool == false)
            #expect(relay["apps"] as? [String] == ["shop"] && relay["defaultApp"] as? String == "shop")
            let metrics = try await http.request("GET", "/metrics").text
            for row in [
                "millrace_control_sessions 3", "millrace_participants{kind=\"client\"} 4",
                "millrace_control_connections 5",
                "millrace_joins_total 6", "millrace_disconnects_total{reason=\"left\"} 7",
                "millrace_request_refusals_total{code=\"notPermitted\"} 8",
                "millrace_tokens_refused_total{cause=\"tokenExpired\"} 0",
            ] { #expect(metrics.contains("\n" + row + "\n"), "\(row)") }
        }
    }

    @Test("ISS-1 an operator reads stored reports") func issues() async throws {
        try await withDoubledSessions { _, http, server in
            let head = IssueHead(
                app: "shop", session: "lobby", sessionID: SessionID(rawValue: "s"),
                connection: ConnectionID(rawValue: "c"), note: "no sound", reportedAt: 5)
            let id = try await server.parts.issues.keep(head, bundle: Array(#"{"streams":[]}"#.utf8))
            let list = try await http.request("GET", "/v1/admin/issues").json
            let first = try #require((list["issues"] as? [[String: Any]])?.first)
            #expect(first["id"] as? String == id && (first["head"] as? [String: Any])?["note"] as? String == "no sound")
            let one = try await http.request("GET", "/v1/admin/issues/\(id)")
            #expect(one.status == 200 && one.text == #"{"streams":[]}"#)
            for path in ["/v1/admin/issues/none", "/v1/admin/issues/..%2f..%2fetc", "/v1/admin/issues?after=none"] {
                let none = try await http.request("GET", path)
                #expect(none.status == 404 && none.problemCode == "unknownIssue")
            }
        }
    }

    @Test(
        "an order to drain has a time and an optional URL, which are checked",
        arguments: [
            (#"{"seconds":30}"#, 202, nil), (#"{"seconds":0,"url":"wss://b.example/x"}"#, 202, nil),
            (#"{"seconds":-1}"#, 422, "seconds"), (#"{"seconds":86401}"#, 422, "seconds"), (#"{}"#, 422, "seconds"),
            (#"{"seconds":1,"url":"file:///x"}"#, 422, "url"), (#"{"seconds":1,"url":"x"}"#, 422, "url"),
        ] as [(String, Int, String?)])
    func drain(body: String, status: Int, field: String?) async throws {
        try await withDoubledSessions { _, http, server in
            let answer = try await http.request("POST", "/v1/admin/drain", body: body)
            #expect(answer.status == status)
            if let field {
                #expect(try answer.json["field"] as? String == field)
                return
            }
            var orders = server.parts.drain.orders.makeAsyncIterator()
            let order = try #require(await orders.next())
            #expect(try order.seconds == answer.json["seconds"] as? Int)
        }
    }
}
