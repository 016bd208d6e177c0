import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Insertion of H.264 parameter sets of the session description")
struct ParameterSetInserterTests {
    static let sets = "Z0LAC9oLE7ARAAADAAEAAAMAMg8UKqA=,aM48gA=="
    static let key: [UInt8] = [0x65, 0x88, 1]
    static let delta: [UInt8] = [0x41, 0x9a, 1]
    static let sequenceSet: [UInt8] = [0x67, 0x42, 0xe0, 0x1f, 0xda, 0x05, 0x06, 0x7e, 0x74]

    /// Passes packets through an inserter, 20 ms apart unless a test says otherwise.
    struct Stream {
        var inserter: ParameterSetInserter
        var now = MediaTime.zero

        init() throws { inserter = ParameterSetInserter(try H264ParameterSets(sets)) }

        mutating func take(
            _ sequence: Int, _ payload: [UInt8], timestamp: Int? = nil, after step: MediaTime = .milliseconds(20)
        ) -> [Int]? {
            now = now + step
            let header = RTPHeader(
                payloadType: PayloadType(98), sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: sequence)),
                timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: (timestamp ?? sequence) * 3_000)), ssrc: SSRC(1),
                payloadLength: payload.count)
            let numbers = payload.withUnsafeBytes { inserter.take(header, $0, now: now) }
            return numbers.map {
                ([$0.sets, $0.packet] as [SequenceNumber?]).compactMap { $0.map { Int($0.rawValue) } }
            }
        }

        /// Publisher's number of a number that the relay uses.
        func publisher(_ number: Int) -> Int? {
            inserter.publisherNumber(of: SequenceNumber(UInt16(truncatingIfNeeded: number))).map { Int($0.rawValue) }
        }
    }

    @Test("STR-7 each key frame without parameter sets gets them, and later packets move up", arguments: [100, 65_533])
    func insertion(first: Int) throws {
        var stream = try Stream()
        func wrapped(_ numbers: Int...) -> [Int] { numbers.map { ($0 + first) & 0xffff } }
        #expect(stream.take(first, Self.delta) == wrapped(0))
        #expect(stream.take(first + 1, Self.key) == wrapped(1, 2))
        #expect(stream.take(first + 2, Self.key, timestamp: first + 1) == wrapped(3), "the next slice of that frame")
        #expect(stream.take(first + 3, Self.delta) == wrapped(4))
        #expect(stream.take(first + 5, Self.delta) == wrapped(6))
        #expect(stream.take(first + 4, Self.delta) == wrapped(5), "late")
        #expect(stream.take(first + 6, Self.key) == wrapped(7, 8))
        #expect(stream.take(first + 7, []) == wrapped(9), "padding")
        #expect(stream.take(first + 2, Self.delta) == wrapped(3), "again, from before the insertion")
        #expect(stream.inserter.isNeeded && stream.inserter.insertions == 2)
        for (relay, publisher) in [(0, 0), (2, 1), (3, 2), (6, 5), (8, 6), (9, 7), (12, 10)] {
            #expect(stream.publisher(first + relay) == wrapped(publisher)[0], "\(relay)")
        }
    }

    @Test("Parameter sets in band end the insertion; without one before, packets need not pass any more")
    func inBand() throws {
        var stream = try Stream()
        #expect(stream.take(1, Self.sequenceSet) == [1])
        #expect(!stream.inserter.isNeeded)
        #expect(stream.take(2, Self.key) == [2])
        stream = try Stream()
        #expect(stream.take(1, Self.key) == [1, 2])
        #expect(stream.take(2, Self.sequenceSet) == [3])
        #expect(stream.take(3, Self.key) == [4])
        #expect(stream.inserter.isNeeded, "numbers have moved")
        stream.inserter.restart()
        #expect(!stream.inserter.isNeeded)
    }

    @Test("A restarted encoder begins with its own numbers; another description has its sets inserted")
    func restart() throws {
        var stream = try Stream()
        #expect(stream.take(1, Self.key) == [1, 2])
        stream.inserter.restart()
        #expect(stream.take(40_000, Self.key) == [40_000, 40_001])
        stream.inserter.replace(nil)
        #expect(stream.take(40_001, Self.key) == [40_002] && stream.inserter.isNeeded)
        stream.inserter.replace(try H264ParameterSets(Self.sets + ",aM48gA=="))
        #expect(stream.take(40_002, Self.key) == [40_003, 40_004])
        #expect(stream.inserter.payload.count == 1 + 2 + 23 + 2 * (2 + 4))
    }

    @Test("Reports to the publisher have its own numbers")
    func reports() throws {
        let producer = Producer(
            .init(
                kind: .video, codec: .h264, ssrc: SSRC(1), payloadType: PayloadType(98),
                parameterSets: try H264ParameterSets(Self.sets)), now: .zero)
        func receive(_ number: SequenceNumber, _ payload: [UInt8], at sequence: Int) {
            let header = RTPHeader(
                payloadType: PayloadType(98), sequenceNumber: number, timestamp: RTPTimestamp(UInt32(sequence * 3_000)),
                ssrc: SSRC(1), payloadLength: payload.count)
            var slot: UnsafeMutablePointer<StoredPacket>?
            _ = payload.withUnsafeBytes {
                producer.receive(header, payload: $0, now: .milliseconds(Int64(sequence) * 33), stored: &slot)
            }
        }
        for sequence in 0..<100 {
            let payload = sequence % 30 == 0 ? Self.key : Self.delta
            let header = RTPHeader(
                payloadType: PayloadType(98), sequenceNumber: SequenceNumber(UInt16(sequence)),
                timestamp: RTPTimestamp(UInt32(sequence * 3_000)), ssrc: SSRC(1), payloadLength: payload.count)
            let taken = payload.withUnsafeBytes {
                producer.inserter?.take(header, $0, now: .milliseconds(Int64(sequence) * 33))
            }
            let numbers = try #require(taken)
            if let number = numbers.sets { receive(number, producer.inserter?.payload ?? [], at: sequence) }
            receive(numbers.packet, payload, at: sequence)
        }
        let block = try #require(producer.reportBlock(now: .seconds(4)))
        #expect(block.highestSequence == 99 && block.cumulativeLost == 0)
        #expect(producer.latestSequence == 103 && producer.frameSize?.width == 176)
        #expect(producer.cachedKeyFrame()?.pointee.sequence == 93)
    }

    @Test("A publisher of tiny key frames cannot multiply its bit rate, and old packets are dropped")
    func bounds() throws {
        var stream = try Stream()
        var inserted = 0
        for sequence in 0..<1_000 {
            inserted += (stream.take(sequence, Self.key, after: .milliseconds(1))?.count ?? 1) - 1
        }
        #expect(inserted == 100, "one in 10 ms")
        // The last 8 insertions are remembered.
        #expect(stream.take(900, Self.delta) == nil && stream.publisher(900) == nil)
        #expect(stream.take(995, Self.delta) == [1_095] && stream.publisher(1_095) == 995)
    }

    @Test(
        "Numbers are unique, in the publisher's order and can be traced back, whatever the order of arrival",
        arguments: 1...50)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var stream = try Stream()
        var relay: [Int: Int] = [:]
        var used: Set<Int> = []
        let first = random.below(65_536)
        var waiting = (0..<2_000).map { ($0, $0 % 60 == 0 ? Self.key : Self.delta) }
        while !waiting.isEmpty {
            // Packets are up to 10 numbers late.
            let (sequence, payload) = waiting.remove(
                at: min(random.below(100) < 80 ? 0 : random.below(10), waiting.count - 1))
            let taken = stream.take(first + sequence, payload, after: .milliseconds(1))
            let numbers = try #require(taken)
            for number in numbers { #expect(used.insert(number).inserted, "\(number) twice") }
            relay[sequence] = numbers.last
            #expect(stream.publisher(numbers.last ?? 0) == (first + sequence) & 0xffff)
        }
        for sequence in 1..<2_000 {
            let step = ((relay[sequence] ?? 0) - (relay[sequence - 1] ?? 0)) & 0xffff
            #expect(step == 1 || step == 2 && sequence % 60 == 0, "\(sequence): \(step)")
        }
        #expect(stream.inserter.insertions > 3)
    }
}
