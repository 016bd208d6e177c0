import Conference
import ControlServer
import Signaling
import Testing

@Suite("Statistics of a user", .serialized)
struct UserStatisticsTests {
    @Test(
        "USR-11 an operator reads the statistics of each user's media, and of no other user's", .timeLimit(.minutes(2)))
    func statistics() async throws {
        try await withConnect { relay in
            let ada = try await relay.enter("Ada", token: .host)
            let ben = try await relay.enter("Ben")
            let id = try #require(try await ada.publish("camera").id)
            _ = try await ben.socket.next(.streamCreated)
            let sections = try await ben.subscribe(id)
            try await ben.hears(sections)
            let overview = try #require(await relay.liveSessions.sessions(app: nil, after: nil, limit: 1).first)
            let address = try SessionKey(app: overview.app, name: overview.name)

            let sent = try await relay.liveSessions.statistics(of: ada.joined.connection, in: address)
            #expect(sent.published.map(\.stream) == [id, id] && sent.subscribed.isEmpty)
            #expect(sent.published.contains { $0.kind == .audio && $0.packets > 0 })
            let received = try await relay.liveSessions.statistics(of: ben.joined.connection, in: address)
            #expect(received.subscribed.map(\.stream) == [id, id] && received.published.isEmpty)
            #expect(received.subscribed.contains { $0.kind == .audio && $0.packets > 0 })
            await #expect {
                try await relay.liveSessions.statistics(of: ConnectionID(rawValue: "none"), in: address)
            } throws: {
                ($0 as? SignalingError)?.code == .unknownUser
            }
            for client in [ada, ben] { await client.close() }
        }
    }
}
