import Conference
import ControlServer
import Foundation
import MediaEngine
import MillraceTokens
import RelayServer
import Signaling
import Testing

@Suite("The session's rules apply to WHIP, WHEP and plain SRTP")
struct EndpointRulesTests {
    private static let secret = "shop-secret-shop-secret-shop-secret"

    private func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

    private func publish(
        _ http: RawHTTPClient, _ query: String = "?stream=cam", _ fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        try await http.request(
            "POST", "/whip/demo\(query)", body: RawHTTPClient.offer("chromium-publish"),
            fields: RawHTTPClient.sdp.merging(fields) { $1 })
    }

    /// Publishes a stream that is available at once.
    private func publishPlain(_ http: RawHTTPClient, password: String? = nil) async throws -> RawHTTPResponse {
        let secret = password.map { ",\"password\":\"\($0)\"" } ?? ""
        return try await http.request(
            "POST", "/v1/sessions/demo/plain",
            body: "{\"direction\":\"publish\",\"stream\":\"plain\",\"audio\":{},\"video\":{}\(secret)}")
    }

    @Test("SES-3, TOK-3 if apps are configured, their sessions need a token")
    func strangers() async throws {
        try await withRelay {
            $0.apps = "shop:\(Self.secret)"
            $0.iceServers = "turn:turn.example"
            $0.iceUsername = "u"
            $0.iceCredential = "secret"
        } _: { _, http in
            for endpoint in ["/whip/demo", "/whep/demo", "/whep/demo/cam"] {
                for (token, code) in [(nil, "tokenMissing"), ("guess", "tokenMalformed")] {
                    let fields = RawHTTPClient.sdp.merging(token.map(bearer) ?? [:]) { $1 }
                    let answer = try await http.request(
                        "POST", endpoint, body: RawHTTPClient.offer("chromium-publish"), fields: fields)
                    #expect(answer.status == 401 && answer.problemCode == code, "\(endpoint) \(answer.text)")
                    #expect(answer.fields["www-authenticate"] == "Bearer realm=\"millrace\"")
                }
                let options = try await http.request("OPTIONS", endpoint)
                #expect(options.status == 200 && options.fields["link"] == nil)
            }
            var grant = TokenGrant(session: "demo", identity: "encoder")
            try grant.set(role: "publisher")
            let now = Int64(Date().timeIntervalSince1970)
            let token = try TokenMinter(app: "shop", secret: Self.secret).mint(grant, now: now)
            #expect(try await publish(http, "?stream=cam", bearer(token)).status == 201)
            let options = try await http.request("OPTIONS", "/whip/demo", fields: bearer(token))
            #expect(options.fields["link"]?.contains("secret") == true)
        }
    }

    @Test("SES-4 publishers and subscribers without signalling need the session's password")
    func passwords() async throws {
        try await withConnect({ $0.publishToken = "operators" }) { relay in
            _ = try await relay.join("Ada", password: "open sesam")
            let token = bearer(TestToken().text)
            for (query, status, code) in [
                ("?stream=a", 403, "passwordNeeded"), ("?stream=a&password=guess", 403, "passwordWrong"),
                ("?stream=a&password=much-too-long", 422, "passwordInvalid"),
                ("?stream=a&password=open%20sesam", 201, nil),
            ] {
                let answer = try await publish(relay.http, query, token)
                #expect(answer.status == status && answer.problemCode == code, "\(query) \(answer.text)")
            }
            // The endpoint's static token needs no password: operators hand it out.
            #expect(try await publish(relay.http, "?stream=b", bearer("operators")).status == 201)
            #expect(try await publishPlain(relay.http).problemCode == "passwordNeeded")
            #expect(try await publishPlain(relay.http, password: "open sesam").status == 201)

            let needed = try await relay.http.view("demo/plain")
            #expect(needed.status == 403 && needed.problemCode == "passwordNeeded", "\(needed.text)")
            #expect(try await relay.http.view("demo/plain?password=open%20sesam").status == 201)
            let plain = #"{"direction":"subscribe","audio":{"port":5004}}"#
            let subscriber = try await relay.http.request("POST", "/v1/sessions/demo/plain", body: plain)
            #expect(subscriber.status == 403 && subscriber.problemCode == "passwordNeeded")
            // Each endpoint counts guesses; all requests without a token share one count.
            for _ in 0..<5 {
                #expect(try await relay.http.view("demo/plain?password=guess").problemCode == "passwordWrong")
            }
            let limited = try await relay.http.view("demo/plain?password=open%20sesam")
            #expect(limited.status == 429 && limited.fields["retry-after"] != nil)
            // A client with a token behind the same address is not locked out.
            #expect(try await publish(relay.http, "?stream=c&password=open%20sesam", token).status == 201)
            let ben = try await relay.connect()
            _ = try await ben.join("Ben", password: "open sesam")
        }
    }

    @Test("SES-4 after a publisher without signalling, the first client can still set the password")
    func firstPublisher() async throws {
        try await withConnect { relay in
            #expect(try await publishPlain(relay.http).status == 201)
            let early = try await relay.http.view("demo/plain")
            #expect(early.status == 201, "\(early.text)")
            let resource = try #require(early.fields["location"])
            _ = try await relay.join("Ada", password: "secret")
            let ben = try await relay.connect()
            #expect(try await ben.refusal()?.code == .passwordNeeded)
            #expect(try await relay.http.view("demo/plain").problemCode == "passwordNeeded")
            // An earlier subscriber without the password is closed.
            try await eventually("the subscriber is ended") {
                try await relay.http.request("GET", resource).status == 404
            }
        }
    }

    @Test("USR-6, SES-5 subscribers without signalling end with their token's user, and with the session")
    func subscribersEnd() async throws {
        try await withConnect { relay in
            let (host, _) = try await relay.join("Host", token: .host)
            #expect(try await publishPlain(relay.http).status == 201)
            let token = TestToken()
            let (_, guest) = try await relay.join("Guest", token: token)
            let fields = bearer(token.text)
            func view(_ fields: [String: String]) async throws -> String {
                let answer = try await relay.http.view("demo/plain", fields: fields)
                try #require(answer.status == 201, "\(answer.text)")
                return try #require(answer.fields["location"])
            }
            let guests = try await view(fields)
            let other = bearer(TestToken().text)
            let others = try await view(other)
            #expect(try await relay.http.request("GET", guests, fields: fields).status == 204)
            #expect(try await host.ask(RemoveUserRequest(user: guest.connection)) == nil)
            try await eventually("the removed one's is ended") {
                try await relay.http.request("GET", guests, fields: fields).status == 404
            }
            let again = try await relay.http.view("demo/plain", fields: fields)
            #expect(again.status == 403 && again.problemCode == "tokenRevoked")
            #expect(try await relay.http.request("GET", others, fields: other).status == 204)
            #expect(try await host.ask(LeaveRequest(endForAll: true)) == nil)
            try await eventually("the other is ended") {
                try await relay.http.request("GET", others, fields: other).status == 404
            }
        }
    }

    @Test("SES-5 subscribers and their session stay while a lone publisher restarts")
    func publisherBeginsAnew() async throws {
        try await withConnect { relay in
            let first = try #require(try await publishPlain(relay.http).fields["location"])
            let id = try await relay.liveSessions.session(SessionKey(app: "app", name: "demo")).id
            let answer = try await relay.http.view("demo/plain")
            let subscriber = try #require(answer.fields["location"], "\(answer.text)")
            #expect(try await relay.http.request("DELETE", first).status == 204)
            #expect(try await relay.http.request("GET", subscriber).status == 204)
            let second = try #require(try await publishPlain(relay.http).fields["location"])
            #expect(try await relay.liveSessions.session(SessionKey(app: "app", name: "demo")).id == id)
            #expect(try await relay.http.request("GET", subscriber).status == 204)
            // The session ends with its last subscriber.
            #expect(try await relay.http.request("DELETE", second).status == 204)
            #expect(await relay.liveSessions.gauges().sessions == 1)
            #expect(try await relay.http.request("DELETE", subscriber).status == 200)
            try await eventually("the session ends") { await relay.liveSessions.gauges().sessions == 0 }
        }
    }

    @Test("USR-8 a mute that the media plane cannot apply is reported")
    func mutesThatFail() async throws {
        try await withConnect { relay in
            let (ada, _) = try await relay.join("Ada")
            #expect(try await publishPlain(relay.http).status == 201)
            let path = "/v1/sessions/demo/streams/plain/mute"
            let muted = try await relay.http.request("PUT", path, body: #"{"kind":"video","muted":true}"#)
            #expect(muted.status == 204)
            #expect(try await relay.engine.streams(session: "demo").first?.video?.muted == true)
            guard case .streamChanged(let change) = try await ada.next(.streamChanged) else { return }
            #expect(change.stream.isVideoMuted)
            #expect(try await publish(relay.http).status == 201)
            // This stream has not sent media yet.
            let silent = "/v1/sessions/demo/streams/cam/mute"
            #expect(try await relay.http.request("PUT", silent, body: #"{"kind":"audio","muted":true}"#).status == 204)
            let nothing = "/v1/sessions/demo/streams/nothing/mute"
            let unknown = try await relay.http.request("PUT", nothing, body: #"{"kind":"audio","muted":true}"#)
            #expect(unknown.status == 404 && unknown.problemCode == "unknownStream")
        }
        // The stream has ended but the session has not been told: no media can be forwarded, so the mute succeeds.
        try await withConnect(events: AsyncStream { $0.finish() }) { relay in
            _ = try await relay.join("Ada")
            let plain = try await publishPlain(relay.http)
            let location = try #require(plain.fields["location"])
            let id = TransportID(rawValue: String(try #require(location.split(separator: "/").last)))
            try await relay.engine.closePlain(id, session: "demo")
            for kind in ["audio", "video"] {
                let path = "/v1/sessions/demo/streams/plain/mute"
                let muted = try await relay.http.request("PUT", path, body: "{\"kind\":\"\(kind)\",\"muted\":true}")
                #expect(muted.status == 204, "\(muted.text)")
            }
        }
    }
}
