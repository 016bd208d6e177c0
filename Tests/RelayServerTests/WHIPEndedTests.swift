import MediaEngine
import Signaling
import Testing

@testable import ControlServer

@Suite("WHIP: publishers that are removed while they are admitted", .serialized)
struct WHIPEndedTests {
    @Test(
        "a publisher that is removed before the engine answers gets an error, and its transport is closed",
        .timeLimit(.minutes(2)),
        arguments: [
            (true, false, 410, "sessionEnded"), (true, true, 403, "notPermitted"), (false, false, 403, "notPermitted"),
        ])
    func removedMeanwhile(isAlone: Bool, isReserved: Bool, status: Int, code: String) async throws {
        try await withEndpoints { _ in
        } make: { engine, configuration, bodies, logger in
            ControlServer(
                engine: engine, webRTC: StandingMediaPlane(engine), configuration: configuration, recorder: nil,
                bodies: bodies, parts: try ControlParts(bare: engine, logger: logger), logger: logger)
        } body: { server, http in
            let plane = try #require(server.webRTC as? StandingMediaPlane)
            // Also if the test fails, so that it ends.
            defer { plane.goOn() }
            if isReserved {
                // It waits for its first participant again.
                let created = try await http.request("POST", "/v1/admin/sessions", body: #"{"name":"demo"}"#)
                #expect(created.status == 201)
            }
            if !isAlone {
                let other = try await http.request(
                    "POST", "/v1/sessions/demo/plain", body: #"{"direction":"publish","stream":"other","audio":{}}"#)
                #expect(other.status == 201)
            }
            let offer = try RawHTTPClient.offer("chromium-publish")
            async let answer = http.request("POST", "/whip/demo?stream=cam", body: offer, fields: RawHTTPClient.sdp)
            try await eventually("its transport is open") { !plane.opened.isEmpty }
            let liveSession = try #require(server.parts.liveSessions.all.first)
            let user = try #require(await liveSession.read { $0.users.first { $0.name == "cam" } }).id
            async let removal = http.request("DELETE", "/v1/admin/sessions/demo/participants/\(user.rawValue)")
            try await eventually("it is removed") { await liveSession.read { !$0.users.contains { $0.id == user } } }
            plane.goOn()

            let refused = try await answer
            #expect(refused.status == status && refused.problemCode == code, "\(refused.status) \(refused.text)")
            #expect(try await removal.status == 204)
            let transport = try #require(plane.opened.first)
            try await eventually("its transport is closed") {
                (try? await server.engine.webRTC(transport, session: liveSession.engineName)) == nil
            }
        }
    }
}
