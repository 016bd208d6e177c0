import MediaBase
import RTP
import Testing

@testable import MediaEngine

@Suite("Decisions that are kept for reports")
struct DecisionLogTests {
    @Test("The counts of many streams are added up and push out no other entry")
    func counts() {
        var log = DecisionLog()
        log.note(.moved, now: .zero)
        for round in 0..<1_000 as Range<Int64> {
            for stream in 0..<10 {
                log.count(.packetsWanted, stream: "\(stream)", 1, now: .milliseconds(round))
            }
        }
        let recent = log.recent(now: .seconds(1))
        #expect(recent.count == 11 && recent.first?.kind == .moved)
        #expect(recent.dropFirst().allSatisfy { $0.value == 1_000 })
        // An entry older than 1 s is not added to.
        log.count(.packetsWanted, stream: "0", 5, now: .seconds(1.5))
        #expect(log.recent(now: .seconds(2)).count == 12)
    }

    @Test("A count is added to the last entry of its kind and stream, unless that entry is old or was pushed out")
    func kinds() {
        var log = DecisionLog()
        let kinds: [PeerDecision.Kind] = [.packetsWanted, .packetsSentAgain, .keyFrameWanted]
        for round in 0..<10 as Range<Int64> {
            for kind in kinds {
                for stream in ["a", "b"] { log.count(kind, stream: stream, 2, now: .milliseconds(round)) }
            }
            log.note(.moved, now: .milliseconds(round))
        }
        var counts = log.recent(now: .milliseconds(10)).filter { $0.kind != .moved }
        #expect(counts.count == 6 && counts.allSatisfy { $0.value == 20 })
        #expect(kinds.allSatisfy { kind in counts.filter { $0.kind == kind }.map(\.stream) == ["a", "b"] })
        log.count(.packetsWanted, stream: "a", 0, now: .milliseconds(10))
        // Enough decisions to push out the counted entries.
        for _ in 0..<DecisionLog.maximumCount { log.note(.moved, now: .milliseconds(11)) }
        log.count(.packetsWanted, stream: "a", 7, now: .milliseconds(12))
        log.count(.packetsWanted, stream: "a", 1, now: .milliseconds(13))
        log.count(.packetsWanted, stream: "b", 3, now: .milliseconds(13))
        counts = log.recent(now: .milliseconds(14)).filter { $0.kind != .moved }
        #expect(counts.map(\.stream) == ["a", "b"] && counts.map(\.value) == [8, 3])
    }

    @Test("The requested number of headers is returned: the newest ones, oldest first", arguments: [0, 1, 7, 8, 100])
    func headers(_ limit: Int) {
        var log = HeaderLog(capacity: 8)
        defer { log.deallocate() }
        #expect(log.recent(limit: limit, now: .zero).isEmpty)
        for number in 0..<20 as Range<UInt16> {
            let header = RTPHeader(
                payloadType: PayloadType(111), sequenceNumber: SequenceNumber(number), timestamp: RTPTimestamp(0),
                ssrc: SSRC(1), marker: false)
            log.note(header, [], .forwarded, now: .milliseconds(Int64(number)))
        }
        let expected = (0..<20 as Range<UInt16>).suffix(min(8, limit))
        #expect(log.recent(limit: limit, now: .milliseconds(20)).map(\.sequence) == Array(expected))
    }
}
