import Conference
import MediaBase
import Signaling
import Testing

@testable import Cluster

@Suite("Table of relays and remembered placements")
struct RelayTableTests {
    private func record(
        _ id: String, _ incarnation: Int64 = 1, use: Double = 0, region: String = "", isDraining: Bool = false,
        isAlive: Bool = true, silence: MediaTime = .zero
    ) -> RelayRecord {
        var description = MemberHarness.description(0, region: region)
        description.id = RelayID(rawValue: id)
        return RelayRecord(
            identity: RelayIdentity(id: description.id, incarnation: incarnation), description: description,
            load: RelayLoad(use: use, isDraining: isDraining), isAlive: isAlive, silence: silence)
    }

    private func replace(
        _ table: inout RelayTable, _ records: [RelayRecord], now: MediaTime = .zero
    ) -> [RelayIdentity] {
        table.replace(with: records, forgetTime: .seconds(60), now: now)
    }

    @Test("Runs that ended, left or were restarted are reported once")
    func lost() {
        var table = RelayTable()
        #expect(replace(&table, [record("a"), record("b"), record("c"), record("d", isAlive: false)]) == [])
        let lost = replace(&table, [record("a"), record("b", 2), record("c", isAlive: false)])
        #expect(lost.map(\.id.rawValue) == ["b", "c"])
        #expect(replace(&table, [record("a"), record("b", 2), record("c", isAlive: false)]) == [])
        #expect(table.living(record("b").identity) == nil)
        #expect(table.living(record("b", 2).identity) != nil)
        #expect(table.living(record("c").identity) == nil)
    }

    @Test("Relays that were silent for too long do not count")
    func counted() {
        var table = RelayTable()
        _ = replace(
            &table,
            [
                record("a"), record("b", isAlive: false, silence: .seconds(60)),
                record("c", isAlive: false, silence: .seconds(61)),
            ])
        let counted = table.counted(forgetTime: .seconds(60), other: RelayID(rawValue: "a"))
        #expect(counted.map(\.identity.id.rawValue) == ["b"])
    }

    @Test("A relay without a row counts for some time, because the store may have lost the row")
    func former() {
        var table = RelayTable()
        _ = replace(&table, [record("a"), record("b")])
        func counted() -> [String] {
            table.counted(forgetTime: .seconds(60), other: RelayID(rawValue: "a")).map(\.identity.id.rawValue)
        }
        #expect(replace(&table, [record("a")], now: .seconds(1)).map(\.id.rawValue) == ["b"])
        _ = replace(&table, [record("a")], now: .seconds(60))
        #expect(counted() == ["b"])
        _ = replace(&table, [record("a")], now: .seconds(61))
        #expect(counted() == [])
        _ = replace(&table, [record("a"), record("b", 2)], now: .seconds(62))
        #expect(counted() == ["b"])
    }

    @Test("The least loaded relay is alive, not draining, below the limit, and of the region if possible")
    func least() {
        var table = RelayTable()
        _ = replace(
            &table,
            [
                record("a", use: 0.1, region: "x"), record("b", use: 0.4, region: "x"),
                record("c", use: 0.2, region: "y"),
                record("d", use: 0, region: "x", isDraining: true), record("e", use: 0, region: "x", isAlive: false),
            ])
        func least(_ use: Double, _ region: String) -> String? {
            table.least(loadedBelow: use, region: region, other: RelayID(rawValue: "a"))?.identity.id.rawValue
        }
        #expect(least(0.7, "x") == "b")
        #expect(least(0.7, "z") == "c")
        #expect(least(0.3, "x") == "c")
        #expect(least(0.2, "x") == nil)
    }

    @Test("At most the given number of placements is remembered, and the newest stay")
    func placements() throws {
        var known = PlacementCache(limit: 10)
        let home = record("a").identity
        for number in 0..<100 {
            known.insert(
                SessionPlacement(
                    key: MemberHarness.key("n\(number)"), id: SessionID(rawValue: "s\(number)"), home: home, term: 1,
                    isHomeAlive: true))
            #expect(known.count <= 10)
            #expect(known[SessionID(rawValue: "s\(number)")]?.key == MemberHarness.key("n\(number)"))
        }
        #expect(known[SessionID(rawValue: "s0")] == nil)
        #expect(known[MemberHarness.key("n95")] != nil)
        known.remove(of: home)
        #expect(known.count == 0 && known[SessionID(rawValue: "s99")] == nil)
    }
}
