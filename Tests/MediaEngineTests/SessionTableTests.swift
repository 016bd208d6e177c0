import MediaBase
import Testing

@testable import MediaEngine

@Suite("Sessions of a worker by name")
struct SessionTableTests {
    private let total = WorkerTotal(workers: 2)

    private func table(limit: Int = 10) -> SessionTable {
        var limits = EngineLimits()
        limits.sessions = limit
        return SessionTable(total: total, worker: 0, limits: limits, loudest: 0)
    }

    @Test("Sessions of other workers count towards the limit, and a listed session is found regardless of it")
    func limit() throws {
        var table = table(limit: 2)
        var counters = EngineCounters()
        let first = try table.findOrMake("a", &counters)
        table.list(first)
        total.set(1, of: 1)
        #expect(throws: EngineError.limitReached(name: "sessions", limit: 2)) {
            try table.findOrMake("b", &counters)
        }
        #expect(counters.refusedLimit == 1)
        #expect(try table.findOrMake("a", &counters) === first)
    }

    private func forget(_ session: EngineSession, in table: inout SessionTable) -> Bool { table.forgetIfEmpty(session) }

    @Test("A session that was replaced under its name does not remove its successor") func successor() {
        var table = table()
        let old = table.listed("a")
        #expect(forget(old, in: &table))
        #expect(table["a"] == nil && total.sum == 0)
        let new = table.listed("a")
        #expect(!forget(old, in: &table) && table["a"] === new)
        new.awaited = 1
        #expect(!forget(new, in: &table) && table["a"] === new)
    }

    @Test("Preferences of unused streams are removed at the limit; used ones are kept") func preferences() throws {
        var counters = EngineCounters()
        var table: [String: StreamPreferences] = [:]
        let names = Set((0..<400).map { "s\($0)" })
        for name in names { try table.set(StreamPreferences(), ofStream: name, used: names, &counters) }
        #expect(throws: EngineError.limitReached(name: "preferences", limit: 400)) {
            try table.set(StreamPreferences(), ofStream: "new", used: names, &counters)
        }
        try table.set(StreamPreferences(), ofStream: "s1", used: names, &counters)
        try table.set(StreamPreferences(), ofStream: "new", used: ["s1"], &counters)
        #expect(Set(table.keys) == ["s1", "new"] && counters.refusedLimit == 1)
    }
}
