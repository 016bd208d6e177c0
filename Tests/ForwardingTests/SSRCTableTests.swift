import Forwarding
import MediaBase
import MillraceTestKit
import Testing

@Suite("SSRC table")
struct SSRCTableTests {
    @Test("Behaves as a dictionary through inserts, removals and growth", arguments: [UInt64(1), 2, 3])
    func model(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = SSRCTable()
        var model: [UInt32: Int] = [:]
        // Few enough values to repeat, and some that share their low or high bits.
        var universe = (0..<600).map { _ in UInt32(truncatingIfNeeded: random.next()) }
        universe += (0..<300).map { UInt32($0) } + (0..<300).map { UInt32($0) << 20 } + [0, .max]
        for step in 0..<20_000 {
            let ssrc = universe[random.below(universe.count)]
            // Grows at first, shrinks later.
            if random.below(10) < (step < 10_000 ? 7 : 3) {
                let isNew = table.insert(SSRC(ssrc), step)
                #expect(isNew == (model[ssrc] == nil))
                if isNew { model[ssrc] = step }
            } else {
                table.remove(SSRC(ssrc))
                model[ssrc] = nil
            }
            #expect(table.count == model.count)
            let other = universe[random.below(universe.count)]
            let found = table.find(SSRC(other))
            #expect(found == model[other])
        }
        let found = universe.map { table.find(SSRC($0)) }
        #expect(found == universe.map { model[$0] })
    }

    @Test("Removing an absent value changes nothing, an emptied table fills again")
    func edges() {
        var table = SSRCTable()
        table.remove(SSRC(7))
        let zero = table.find(SSRC(0))
        #expect(table.count == 0 && zero == nil)
        for round in 0..<3 {
            var inserted = 0
            for ssrc in UInt32(0)..<5000 where table.insert(SSRC(ssrc), Int(ssrc) + round) { inserted += 1 }
            #expect(inserted == 5000)
            let again = table.insert(SSRC(17), 1)
            #expect(!again)
            let found = (UInt32(0)..<5000).map { table.find(SSRC($0)) }
            #expect(found == (0..<5000).map { $0 + round })
            for ssrc in (UInt32(0)..<5000).reversed() { table.remove(SSRC(ssrc)) }
            #expect(table.count == 0)
        }
    }
}
