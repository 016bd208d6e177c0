import CCrash
import Foundation
import MediaBase
import Testing

@testable import MediaEngine

/// The ring is shared by the whole process, so each test uses its own subjects to find its decisions.
@Suite("Decisions and counters for crash reports")
struct CrashNotesTests {
    private func recent(_ subject: UInt64) -> [millrace_crash_decision] {
        CrashNotes.recent(Int(MILLRACE_CRASH_DECISIONS)).filter { $0.subject == subject }
    }

    private func kind(_ decision: millrace_crash_decision) -> String {
        withUnsafeBytes(of: decision.kind) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    @Test("The newest 1,000 decisions are kept, in order")
    func newest() throws {
        let subject = UInt64.random(in: 1 ... .max)
        for value in 0..<5_000 as Range<Int64> { CrashNotes.note("test", session: 7, subject: subject, value: value) }
        let decisions = recent(subject)
        let last = try #require(decisions.last)
        #expect(last.value == 4_999 && last.session == 7 && last.source == MILLRACE_CRASH_CONTROL)
        #expect(kind(last) == "test")
        #expect(decisions.count <= 1_000)
        #expect(zip(decisions, decisions.dropFirst()).allSatisfy { $0.sequence < $1.sequence && $0.value < $1.value })
        #expect(zip(decisions, decisions.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds })
        #expect(CrashNotes.recent(0).isEmpty)
    }

    @Test("A kind that is longer than its field is truncated")
    func longKind() throws {
        let subject = UInt64.random(in: 1 ... .max)
        CrashNotes.note(String(repeating: "a", count: 100), subject: subject)
        CrashNotes.note("", subject: subject)
        #expect(recent(subject).map(kind) == [String(repeating: "a", count: Int(MILLRACE_CRASH_KIND)), ""])
    }

    @Test("A decision that is read while threads write is never a mix of two")
    func concurrent() async {
        await withTaskGroup(of: Void.self) { group in
            for thread in 1...4 as ClosedRange<UInt64> {
                group.addTask {
                    for number in 0..<20_000 as Range<UInt64> {
                        let value = thread << 32 | number
                        CrashNotes.note("mixed", session: value, subject: ~value, value: Int64(value))
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    for decision in CrashNotes.recent(1_000) where kind(decision) == "mixed" {
                        #expect(decision.subject == ~decision.session && decision.value == Int64(decision.session))
                    }
                }
            }
        }
    }

    @Test("A decision about a transport is stored under the hashes of the transport's name and session")
    func transports() {
        let name = UUID().uuidString
        var log = DecisionLog(session: "demo", transport: name)
        log.note(.paused, stream: "cam", value: 3, now: .zero)
        let decisions = recent(CrashNotes.hash(name))
        #expect(decisions.map(kind) == ["paused"] && decisions.map(\.value) == [3])
        #expect(decisions.map(\.session) == [CrashNotes.hash("demo")])
        // FNV-1a of "demo", 64 bits.
        #expect(CrashNotes.hash("a") == 0xaf63_dc4c_8601_ec8c)
    }

    @Test("Every counter has a name that matches its offset in memory")
    func counterNames() throws {
        let block = CounterBlock(worker: 0)
        let words = try #require(MemoryLayout<EngineCounters>.offset(of: \.delay)) / 8
        #expect(CounterBlock.names.count == words)
        #expect(CounterBlock.names.count <= Int(MILLRACE_CRASH_COUNTERS))
        #expect(CounterBlock.names.allSatisfy { $0.utf8.count < Int(MILLRACE_CRASH_COUNTER_NAME) })
        for (name, path) in [
            ("datagramsReceived", \EngineCounters.datagramsReceived), ("droppedReplay", \.droppedReplay),
            ("taps", \.taps),
        ] {
            let index = try #require(CounterBlock.names.firstIndex(of: name))
            #expect(MemoryLayout<EngineCounters>.offset(of: path) == index * 8, "\(name)")
        }
        block.counters.pointee.datagramsReceived = 5
        #expect(UnsafeRawPointer(block.counters).load(as: UInt64.self) == 5)
    }
}
