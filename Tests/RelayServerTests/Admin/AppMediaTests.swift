import Conference
import Foundation
import MediaEngine
import RelayServer
import Testing

@Suite("SES-3 Media of apps is separate")
struct AppMediaTests {
    private static let apps =
        "shop:shop-secret-shop-secret-shop-secret,bank:bank-secret-bank-secret-bank-secret"

    @Test("SES-3 sessions with the same name in two apps have separate streams") func streams() async throws {
        try await withRelay {
            $0.apps = Self.apps
            $0.appDefault = "shop"
        } _: { relay, http in
            let engine = try #require(relay.engine)
            for (app, stream) in [("shop", "counter"), ("bank", "vault")] {
                let session = try SessionKey(app: app, name: "lobby").engineName(standard: "shop")
                var request = PlainTransportRequest(direction: .publish, session: session)
                request.stream = stream
                request.audio = PlainTrackRequest(payloadType: 111, ssrc: app == "shop" ? 1 : 2)
                _ = try await engine.openPlain(request)
            }
            for (query, stream) in [("", "counter"), ("?app=shop", "counter"), ("?app=bank", "vault")] {
                let answer = try await http.request("GET", "/v1/admin/sessions/Lobby/tracks\(query)").json
                let streams = try #require(answer["streams"] as? [[String: Any]])
                #expect(streams.compactMap { $0["name"] as? String } == [stream], "\(query)")
                #expect(answer["session"] as? String == "lobby")
            }
            let list = try await http.request("GET", "/v1/sessions").json["sessions"] as? [[String: Any]]
            let names = (list ?? []).map { "\($0["app"] ?? "") \($0["name"] ?? "")" }
            #expect(names == ["bank lobby", "shop lobby"])
            for path in ["/v1/admin", "/v1"] {
                let strange = try await http.request("GET", "\(path)/sessions/lobby/streams/vault/canvas.wav?app=shop")
                #expect(strange.status == 404 && strange.problemCode == "unknownStream")
            }
            // A crafted session name cannot address the other app's session.
            let crafted = try await http.request("GET", "/v1/sessions/bank%1Flobby/streams")
            #expect(crafted.status == 400 && crafted.problemCode == "invalidSessionName")
            let muted = try await http.request(
                "PUT", "/v1/admin/sessions/lobby/streams/vault/mute", body: #"{"kind":"audio","muted":true}"#)
            #expect(muted.status == 404)
            let none = try await http.request("GET", "/v1/admin/sessions/lobby/tracks?app=nobody")
            #expect(none.status == 404 && none.problemCode == "unknownSession")
        }
    }
}
