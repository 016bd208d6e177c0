import Forwarding
import MillraceTestKit
import Testing

@Suite("History of rewrites")
struct RewriteHistoryTests {
    private static func rewrite(_ offset: Int64, pictureID: UInt16 = 0) -> RTPRewrite {
        var rewrite = RTPRewrite()
        rewrite.sequenceOffset = offset
        rewrite.pictureIDOffset = pictureID
        return rewrite
    }

    @Test("An empty history finds nothing")
    func empty() {
        let history = RewriteHistory()
        defer { history.deallocate() }
        for sequence in [Int64.min, -1, 0, 1, Int64.max] { #expect(history.find(consumerSequence: sequence) == nil) }
    }

    @Test("Each consumer packet is found under the run in which it was sent")
    func acrossRuns() throws {
        var history = RewriteHistory()
        defer { history.deallocate() }
        // Producer 1000...1099 as 0...99, 2000...2049 as 100...149, 2050... as 150 with another PictureID offset.
        history.begin(at: 1000, Self.rewrite(1000, pictureID: 1))
        history.begin(at: 2000, Self.rewrite(1900, pictureID: 2))
        history.begin(at: 2050, Self.rewrite(1900, pictureID: 3))
        for (consumer, producer, pictureID) in [
            (Int64(0), Int64(1000), UInt16(1)), (99, 1099, 1), (100, 2000, 2), (149, 2049, 2), (150, 2050, 3),
            (5000, 6900, 3),
        ] {
            let found = try #require(history.find(consumerSequence: consumer))
            #expect(found.producerSequence == producer && found.rewrite.pictureIDOffset == pictureID)
        }
        #expect(history.find(consumerSequence: -1) == nil)
    }

    @Test("Evicted runs are not found, the remaining ones are exact", arguments: [UInt64(1), 2, 3])
    func eviction(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var history = RewriteHistory()
        defer { history.deallocate() }
        var next = Int64(random.below(60_000))
        var consumer = Int64(random.below(30_000))
        var sent: [(consumer: Int64, producer: Int64, run: Int)] = []
        for run in 0..<40 {
            next += Int64(random.below(500))
            history.begin(at: next, Self.rewrite(next - consumer, pictureID: UInt16(run)))
            for _ in 0...random.below(50) {
                sent.append((consumer, next, run))
                consumer += 1
                next += 1
            }
            for packet in sent {
                let found = history.find(consumerSequence: packet.consumer)
                if packet.run + RewriteHistory.capacity > run {
                    let found = try #require(found)
                    #expect(
                        found.producerSequence == packet.producer && Int(found.rewrite.pictureIDOffset) == packet.run)
                } else {
                    #expect(found == nil)
                }
            }
        }
    }
}
