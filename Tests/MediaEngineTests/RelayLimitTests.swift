import MediaBase
import SDP
import Transport
import Testing

@testable import MediaEngine

@Suite("Limits of the whole relay, with several workers", .serialized, .timeLimit(.minutes(2)))
struct RelayLimitTests {
    private static func engine(
        workers: Int, _ limit: (inout EngineConfiguration) -> Void
    ) throws -> MediaEngine {
        try EngineTests.engine {
            $0.webRTC.port = 0
            $0.workers = workers
            limit(&$0)
        }
    }

    @Test("The limit of sessions counts the sessions of all workers")
    func sessions() async throws {
        let engine = try Self.engine(workers: 4) { $0.limits.sessions = 4 }
        defer { engine.stop() }
        func open(_ session: String) async throws(EngineError) -> PlainTransport {
            var request = PlainTransportRequest(direction: .publish, session: session)
            request.audio = PlainTrackRequest()
            return try await engine.openPlain(request)
        }
        let first = try await open("a")
        for name in ["i", "q", "y"] { _ = try await open(name) }
        for name in ["b", "c", "1"] {
            await #expect(throws: EngineError.limitReached(name: "sessions", limit: 4)) { try await open(name) }
        }
        // A further transport of an existing session is allowed.
        _ = try await open("q")
        try await engine.closePlain(first.id, session: "a")
        _ = try await open("b")
        #expect(await engine.sessions().map(\.name) == ["b", "i", "q", "y"])
        await #expect(throws: EngineError.limitReached(name: "sessions", limit: 4)) { try await open("a") }
    }

    /// Makes an offer of a publisher that never connects.
    private func offer(_ stream: Int, _ session: String, _ engine: MediaEngine) async throws -> TransportID {
        var random = SystemRandomNumberGenerator()
        let peer = PeerDescription(
            credentials: .random(using: &random), fingerprints: [], cryptos: SignalledKeys().offered, setup: .actpass)
        let section = PublishedSection(stream: "s\(stream)", track: .offered(.audio, encodings: [.init()]))
        return try await engine.openPublisher(PublisherRequest(session: session, peer: peer, sections: [section])).id
    }

    @Test("Clients that connect to one session at the same time displace no one below the limit")
    func unestablished() async throws {
        let engine = try Self.engine(workers: 8) { $0.webRTC.unestablishedTransports = 16 }
        defer { engine.stop() }
        for number in 0..<16 { _ = try await offer(number, "a", engine) }
        #expect(await engine.counters().peersDisplaced == 0)
        _ = try await offer(16, "a", engine)
        #expect(await engine.counters().peersDisplaced == 1)
    }

    @Test("A session with many clients that do not connect makes room for the clients of other sessions")
    func displacement() async throws {
        let engine = try Self.engine(workers: 8) { $0.webRTC.unestablishedTransports = 8 }
        defer { engine.stop() }
        var flood: [TransportID] = []
        for number in 0..<8 { flood.append(try await offer(number, "a", engine)) }
        for number in 0..<3 {
            let id = try await offer(number, "b", engine)
            _ = try await EngineTests.counters(of: engine) { $0.peersDisplaced == UInt64(number + 1) }
            #expect((try? await engine.webRTC(id, session: "b")) != nil)
        }
        let counters = await engine.counters()
        #expect(counters.peersDisplaced == 3)
        // The oldest unconnected clients of the flood were displaced.
        for (number, id) in flood.enumerated() {
            let isThere = (try? await engine.webRTC(id, session: "a")) != nil
            #expect(isThere == (number >= 3), "\(number)")
        }
    }
}
