import MillraceTestKit
import Testing

@testable import Transport

@Suite("Datagrams in a stream (RFC 4571)") struct StreamFramingTests {
    /// Returns the datagrams in a stream that is cut into these pieces.
    static func datagrams(_ pieces: [[UInt8]], limit: Int = 4_096) throws -> [[UInt8]] {
        var framing = StreamFraming(limit: limit)
        var found: [[UInt8]] = []
        for piece in pieces {
            try piece.withUnsafeBytes { bytes in
                try framing.receive(bytes) { found.append(Array($0)) }
            }
            #expect(framing.pendingBytes < limit + StreamFraming.headerLength)
        }
        return found
    }

    @Test func frameIsLengthAndDatagram() {
        #expect(StreamFraming.frame([7, 8, 9]) == [0, 3, 7, 8, 9])
        #expect(StreamFraming.frame([UInt8](repeating: 1, count: 0x1234)).prefix(2) == [0x12, 0x34])
        #expect(StreamFraming.frame([]) == [0, 0])
    }

    @Test func streamMayBeCutAtAnyTwoBytes() throws {
        let sent: [[UInt8]] = [[1], [2, 3, 4], [5, 6], [UInt8](repeating: 9, count: 20)]
        let stream = sent.flatMap { StreamFraming.frame($0) }
        for first in 0...stream.count {
            for second in first...stream.count {
                let pieces = [stream[..<first], stream[first..<second], stream[second...]].map(Array.init)
                #expect(try Self.datagrams(pieces) == sent, "cut at \(first) and \(second)")
            }
        }
        #expect(try Self.datagrams(stream.map { [$0] }) == sent)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func randomCuts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sent = (0..<500).map { _ in random.bytes(1 + random.below(1_500)) }
        let stream = sent.flatMap { StreamFraming.frame($0) }
        var pieces: [[UInt8]] = []
        var at = 0
        while at < stream.count {
            let end = min(stream.count, at + 1 + random.below(3_000))
            pieces.append(Array(stream[at..<end]))
            at = end
        }
        #expect(try Self.datagrams(pieces) == sent)
    }

    @Test func emptyFramesAreSkipped() throws {
        #expect(try Self.datagrams([[0, 0, 0, 1, 5, 0, 0], [0], [0, 0, 1, 6]]) == [[5], [6]])
    }

    @Test func longFramesEndTheStream() throws {
        #expect(throws: StreamFramingError.tooLong(101)) { try Self.datagrams([[0, 101]], limit: 100) }
        #expect(throws: StreamFramingError.tooLong(0xffff)) { try Self.datagrams([[0xff], [0xff]], limit: 100) }
        #expect(try Self.datagrams([[0, 100] + [UInt8](repeating: 1, count: 100)], limit: 100).count == 1)
        var framing = StreamFraming(limit: 4)
        func receive(_ bytes: [UInt8]) throws {
            try bytes.withUnsafeBytes { bytes in
                try framing.receive(bytes) { _ in Issue.record("a datagram of a broken stream") }
            }
        }
        #expect(throws: StreamFramingError.tooLong(5)) { try receive([0, 5]) }
        #expect(throws: StreamFramingError.broken) { try receive([0, 1, 1]) }
        #expect(framing.pendingBytes == 0)
    }

    @Test func noInputTrapsOrGrows() {
        var framing = StreamFraming(limit: 256)
        var broken = 0
        MutationFuzzer(corpus: [StreamFraming.frame([1, 2, 3]) + StreamFraming.frame([4])], seed: 4_571).run(
            count: 50_000
        ) { bytes in
            do {
                try framing.receive(bytes) { #expect($0.count <= 256 && !$0.isEmpty) }
            } catch {
                broken += 1
                framing = StreamFraming(limit: 256)
            }
            #expect(framing.pendingBytes <= 257)
        }
        #expect(broken > 100)
    }
}
