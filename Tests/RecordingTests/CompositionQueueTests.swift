import Foundation
import MediaBase
import MillraceTestKit
import Synchronization
import Testing

@testable import Recording

@Suite("REC-2 Composition of sessions that are over", .timeLimit(.minutes(1))) struct CompositionQueueTests {
    private static func media(at start: Double) -> [TestStream.Packet] {
        TestStream(start: .seconds(start), wallClock: 1 << 62)
            .packets(video: Array(TestStream.video[..<30]), audio: Array(TestStream.audio[..<50]))
    }

    /// Returns a composition of the files of a session from a time of the relay on.
    private static func composition(_ session: RecordedSession, from seconds: Double = 0) -> Composition {
        Composition(
            RecordedMeetings.Meeting(session: "lobby", start: RecordedSession.wallClock + Int64(seconds * 1e9)),
            folder: session.path)
    }

    @Test("sessions are composed one after another, each from its own start") func order() async throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.media(at: 10))
        try session.record("b", of: "Bo", Self.media(at: 5_000))
        let (ended, end) = AsyncStream.makeStream(of: Composition.self)
        let queue = CompositionQueue { end.yield($0) }
        queue.add(Self.composition(session))
        queue.add(Self.composition(session, from: 4_990))
        queue.add(Self.composition(session, from: 9_000))
        var all: [Composition] = []
        for await composition in ended {
            all.append(composition)
            if all.count == 3 { break }
        }
        #expect(all.map(\.phase) == [.composed, .composed, .failed])
        #expect(all[0].output == session.path + "/session.20260801T120000.000Z.mkv")
        #expect(all[0].duration > 4_990 && all[1].duration < 2 && all[1].bytes > 0)
        #expect(all[2].error?.contains("no recorded file") == true)
        for composition in all[..<2] {
            let size = try FileManager.default.attributesOfItem(atPath: composition.output)[.size] as? Int64
            #expect(size == composition.bytes)
        }
        #expect(queue.counts.composed == 2 && queue.counts.failed == 1 && queue.counts.open == 0)
        #expect(queue.compositions.map(\.phase) == all.map(\.phase))
        await queue.stop()
    }

    @Test("a session that is composed when the relay stops leaves no part of a file, and later ones are refused")
    func stop() async throws {
        let session = try RecordedSession()
        try session.record("a", of: "Ada", Self.media(at: 10))
        let ended = Mutex<[Composition]>([])
        let queue = CompositionQueue { composition in ended.withLock { $0.append(composition) } }
        for _ in 0..<20 { queue.add(Self.composition(session)) }
        await queue.stop()
        queue.add(Self.composition(session))
        let all = ended.withLock { $0 }
        #expect(all.count == 21 && all.last?.phase == .failed)
        #expect(all.filter { $0.phase == .failed }.allSatisfy { $0.error != nil })
        #expect(!(try FileManager.default.contentsOfDirectory(atPath: session.path)).contains { $0.hasSuffix(".part") })
        #expect(queue.counts.open == 0)
    }

    @Test("sessions beyond the limit are refused, with a reason") func limit() async throws {
        let session = try RecordedSession()
        let ended = Mutex<[Composition]>([])
        let queue = CompositionQueue { composition in ended.withLock { $0.append(composition) } }
        // An empty folder fails at once, so far more are added than the queue can hold.
        for _ in 0..<3 * CompositionQueue.maximumWaiting { queue.add(Self.composition(session)) }
        await queue.stop()
        #expect(ended.withLock { $0.count } == 3 * CompositionQueue.maximumWaiting)
        #expect(queue.compositions.count == CompositionQueue.maximumKept)
    }
}
