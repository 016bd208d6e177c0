import CLinuxNet
import MediaBase
import SDP
import Testing
import Transport

@testable import MediaEngine

@Suite("Sessions and their workers, with threads", .serialized, .timeLimit(.minutes(2)))
struct SharedPlacementTests {
    private static func engine(workers: Int, sessions: Int = 100, unestablished: Int = 100) throws -> MediaEngine {
        try EngineTests.engine {
            $0.webRTC.port = 0
            $0.workers = workers
            $0.limits.sessions = sessions
            $0.webRTC.unestablishedTransports = unestablished
        }
    }

    private func open(_ session: String, payloadType: UInt8? = nil, _ engine: MediaEngine)
        async throws(EngineError) -> TransportID
    {
        var request = PlainTransportRequest(direction: .publish, session: session)
        request.audio = PlainTrackRequest(payloadType: payloadType)
        return try await engine.openPlain(request).id
    }

    /// Offers a stream as a publisher that never connects.
    private func offer(_ stream: String, _ session: String, _ engine: MediaEngine) async throws -> (
        id: TransportID, peer: PeerDescription
    ) {
        var random = SystemRandomNumberGenerator()
        let peer = PeerDescription(
            credentials: .random(using: &random), fingerprints: [], cryptos: SignalledKeys().offered, setup: .actpass)
        let request = PublisherRequest(session: session, peer: peer, sections: [section(stream)])
        return (try await engine.openPublisher(request).id, peer)
    }

    private func section(_ stream: String) -> PublishedSection {
        PublishedSection(stream: stream, track: .offered(.audio, encodings: [.init()]))
    }

    @Test("A session keeps its worker until its last transport ends; then its name is forgotten")
    func life() async throws {
        let engine = try Self.engine(workers: 4)
        defer { engine.stop() }
        let first = try await open("a", engine)
        let second = try await open("a", engine)
        let worker = engine.placement.worker(of: "a")
        #expect(engine.workerSnapshots.map(\.sessions) == (0..<4).map { $0 == worker ? 1 : 0 })
        try await engine.closePlain(first, session: "a")
        #expect(engine.placement.count == 1)
        try await engine.closePlain(second, session: "a")
        #expect(engine.placement.count == 0)
    }

    @Test("Calls about unknown sessions are refused as before, and leave nothing")
    func unknown() async throws {
        let engine = try Self.engine(workers: 4)
        defer { engine.stop() }
        let id = TransportID(rawValue: "0")
        for number in 0..<20 {
            let name = "s\(number)"
            await #expect(throws: EngineError.unknownSession(name)) { try await engine.streams(session: name) }
            await #expect(throws: EngineError.unknownSession(name)) {
                try await engine.beginSetMuted(session: name, stream: "x", kind: .audio, muted: true).finish()
            }
            await #expect(throws: EngineError.unknownTransport("0")) {
                try await engine.closeWebRTC(id, session: name)
            }
            await #expect(throws: EngineError.unknownSession(name)) {
                try await engine.openPlain(PlainTransportRequest(direction: .subscribe, session: name))
            }
            await #expect(throws: EngineError.self) { try await open(name, payloadType: 64, engine) }
        }
        #expect(engine.placement.count == 0)
    }

    @Test("A peer that has not connected keeps the worker of its session, which may have no stream meanwhile")
    func unconnected() async throws {
        let engine = try Self.engine(workers: 4)
        defer { engine.stop() }
        _ = try await open("other", engine)
        let (id, peer) = try await offer("camera", "a", engine)
        let worker = engine.placement.worker(of: "a")
        #expect(worker != engine.placement.worker(of: "other"))
        try await engine.closeStream(session: "a", stream: "camera")
        #expect(await engine.sessions().map(\.name) == ["other"])
        #expect(engine.placement.worker(of: "a") == worker && engine.placement.count == 2)
        _ = try await engine.updatePublisher(id, session: "a", peer: peer, sections: [section("screen")])
        #expect(await engine.sessions().map(\.name) == ["a", "other"])
        try await engine.closeWebRTC(id, session: "a")
        #expect(engine.placement.count == 1)
    }

    @Test("A withdrawn offer of the relay, and a displaced peer, release their sessions")
    func withdrawn() async throws {
        let engine = try Self.engine(workers: 2, unestablished: 1)
        defer { engine.stop() }
        let offered = try await engine.openSubscriber(session: "a")
        #expect(engine.placement.count == 1)
        try await engine.closeWebRTC(offered.id, session: "a")
        #expect(engine.placement.count == 0)
        _ = try await offer("camera", "b", engine)
        _ = try await offer("camera", "c", engine)
        // The displaced peer may be on the other worker, which ends it within a turn.
        let counters = try await EngineTests.counters(of: engine) { $0.peersDisplaced == 1 }
        #expect(counters.peersDisplaced == 1 && engine.placement.count == 1)
    }

    @Test("After the engine has stopped, refused calls leave nothing")
    func stopped() async throws {
        let engine = try Self.engine(workers: 2)
        engine.stop()
        await #expect(throws: EngineError.stopped) { try await open("a", engine) }
        #expect(engine.placement.count == 0)
    }

    @Test("The table of names is bounded, and refusals are counted")
    func bound() {
        let placement = SharedPlacement(workers: 2, limit: 2)
        #expect(placement.begin("a") != nil && placement.begin("b") != nil && placement.begin("c") == nil)
        #expect(placement.refused == 1 && placement.count == 2)
        placement.abandon("a")
        #expect(placement.begin("c") != nil)
    }

    @Test("A single worker has every session, and nothing is stored")
    func single() async throws {
        let engine = try Self.engine(workers: 1)
        defer { engine.stop() }
        _ = try await open("a", engine)
        #expect(engine.placement.count == 0 && engine.placement.worker(of: "b") == 0)
        #expect(engine.workerSnapshots.map(\.sessions) == [1])
    }

    @Test("A worker publishes the CPU time of its thread")
    func measured() async throws {
        let engine = try Self.engine(workers: 1)
        defer { engine.stop() }
        _ = try await open("a", engine)
        let load = try await engine.run(.home(session: "a")) { worker, _ in
            let end = millrace_thread_cpu_ns() + 400_000_000
            while millrace_thread_cpu_ns() < end {}
            worker.act()
            return worker.placement.loads[0].load(at: worker.time())
        }
        #expect((1...1000).contains(load))
    }
}
