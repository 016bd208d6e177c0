import ControlServer
import Foundation
import MediaBase
import Signaling
import Testing

@Suite("WHIP: publishers that restart", .serialized)
struct TakingOverTests {
    private func publish(
        _ relay: ConnectFixture, _ peer: MediaPeer, token: TestToken
    ) async throws -> RawHTTPResponse {
        let answer = try await relay.http.request(
            "POST", "/whip/demo?stream=cam", body: peer.offer().sdp,
            fields: RawHTTPClient.sdp.merging(["Authorization": "Bearer \(token.text)"]) { $1 })
        if answer.status == 201 { try peer.accept(answer.text) }
        return answer
    }

    private func encoder(_ source: UInt32) async throws -> MediaPeer {
        let peer = try await MediaPeer(.publish, source: source)
        _ = peer.add()
        return peer
    }

    @Test(
        "a restarted publisher takes over its stream name at once, and subscribers get media again without an offer",
        .timeLimit(.minutes(2)))
    func killed() async throws {
        try await withConnect({
            // A token can publish again even if it is at its limit.
            $0.connect.resources.token.participants = 1
        }) { relay in
            let token = TestToken(identity: "encoder")
            let ben = try await relay.enter("Ben")
            let first = try await encoder(1)
            let answer = try await publish(relay, first, token: token)
            #expect(answer.status == 201, "\(answer.text)")
            let old = try #require(answer.fields["location"])
            _ = try await ben.socket.next(.streamCreated)
            let sections = try await ben.subscribe(StreamID(rawValue: "cam"))
            try await ben.hears(sections)
            first.goDeaf()

            let stranger = try await encoder(3)
            let refused = try await publish(relay, stranger, token: TestToken())
            #expect(refused.status == 409 && refused.problemCode == "streamExists", "\(refused.text)")

            let begin = ContinuousClock.now
            let second = try await encoder(2)
            let again = try await publish(relay, second, token: token)
            try #require(again.status == 201, "\(again.text)")
            try await ben.hears(sections)
            #expect(ContinuousClock.now - begin < .seconds(10))
            let fields = ["Authorization": "Bearer \(token.text)"]
            #expect(try await relay.http.request("GET", old, fields: fields).status == 404)
            let events = ben.socket.events.map(\.event)
            #expect(!events.contains { if case .streamDestroyed = $0 { true } else { false } })
            #expect(events.count { if case .offer = $0 { true } else { false } } == 1)
            #expect(events.count { if case .userLeft = $0 { true } else { false } } == 0)

            // The session still knows the publisher: deleting the resource ends its stream.
            let resource = try #require(again.fields["location"])
            #expect(try await relay.http.request("DELETE", resource, fields: fields).status == 200)
            guard case .streamDestroyed(let end) = try await ben.socket.next(.streamDestroyed) else { return }
            #expect(end.stream.rawValue == "cam")
            for peer in [first, second, stranger] { await peer.close() }
            await ben.close()
        }
    }
}
