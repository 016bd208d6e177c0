import MediaBase
import MillraceTestKit
import SDP
import Testing

@Suite("SSRCs of one transport") struct SSRCSequenceTests {
    @Test("No SSRC is repeated, and none is 0", arguments: 0..<8) func areUnique(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var sequence = SSRCSequence(using: &random)
        var seen: Set<SSRC> = []
        for _ in 0..<50_000 { seen.insert(sequence.next()) }
        #expect(seen.count == 50_000 && !seen.contains(SSRC(0)))
    }
}
