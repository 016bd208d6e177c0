import Conference
import MediaBase
import Signaling
import Testing

@testable import ControlServer
@testable import MediaEngine

@Suite("Commands of a session to the media engine", .serialized)
struct MediaOrderTests {
    private func liveSession(_ relay: ConnectFixture) throws -> LiveSession {
        try #require(
            relay.liveSessions.liveSession(SessionKey(app: "app", name: "demo")) ?? relay.liveSessions.all.first)
    }

    @Test(
        "USR-12 a removal is answered when every connection, transport and stream of the token has ended",
        .timeLimit(.minutes(2)))
    func removedWithAllConnections() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let token = TestToken()
            let fields = ["Authorization": "Bearer \(token.text)"]
            let ben = try await relay.enter("Ben", token: token)
            let camera = try #require(try await ben.publish("camera").id)
            let (second, _) = try await relay.join("Ben's phone", token: token)
            let encoder = try await MediaPeer(.publish, source: 2)
            _ = encoder.add(audio: true, video: false)
            let answer = try await relay.http.request(
                "POST", "/whip/demo?stream=encoder", body: encoder.offer().sdp,
                fields: RawHTTPClient.sdp.merging(fields) { $1 })
            try #require(answer.status == 201, "\(answer.text)")
            try encoder.accept(answer.text)
            let resource = try #require(answer.fields["location"])
            for _ in 0..<2 { _ = try await ada.socket.next(.streamCreated) }
            // Media of the WHIP publisher arrives.
            let sections = try await ada.subscribe(StreamID(rawValue: "encoder"))
            try await ada.hears(sections)
            let liveSession = try liveSession(relay)
            func streams() async -> [String] {
                ((try? await relay.engine.streams(session: liveSession.engineName)) ?? []).map(\.name)
            }
            #expect(Set(await streams()) == ["encoder", camera.rawValue])

            #expect(try await ada.socket.ask(RemoveUserRequest(user: ben.joined.connection)) == nil)
            // Checked without waiting: the answer is sent after all have ended.
            #expect(await streams() == [])
            #expect(await liveSession.read { $0.leases.count } == 1, "Ada's own")
            #expect(await liveSession.read { $0.users.map(\.name) } == ["Ada"])
            let gone = try await relay.http.request("GET", resource, fields: fields)
            #expect(gone.status == 404, "\(gone.text)")
            for socket in [ben.socket, second] {
                #expect(try await socket.next(.disconnected) == .disconnected(Disconnected(reason: .removed)))
                #expect(try await socket.closing() == .init(code: 1000, reason: "removed"))
            }
            await encoder.close()
            for client in [ada, ben] { await client.close() }
        }
    }
}
