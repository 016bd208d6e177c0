import Forwarding
import MediaBase
import RTP
import Testing

@testable import LoadGenerator

@Suite struct TrackReceptionTests {
    private static let millisecond: Int64 = 1_000_000

    private func header(_ number: UInt16) -> RTPHeader {
        RTPHeader(
            payloadType: PayloadType(96), sequenceNumber: SequenceNumber(number),
            timestamp: RTPTimestamp(UInt32(number) &* 3_000), ssrc: SSRC(1))
    }

    @Test func missingPacketsAreAskedForUntilTheyAreGivenUp() {
        var track = TrackReception(ssrc: 1, kind: .video)
        track.record(header(65_535), bytes: 100, now: Self.millisecond)
        track.record(header(2), bytes: 100, now: 2 * Self.millisecond)
        var asked: [Int64: [UInt16]] = [:]
        for time in stride(from: 100, through: 4_000, by: 10) as StrideThrough<Int64> {
            let numbers = track.numbersToAskFor(now: time * Self.millisecond).map(\.rawValue)
            if !numbers.isEmpty { asked[time] = numbers }
        }
        #expect(asked.count == NACKGenerator.maximumRequests)
        #expect(asked.values.allSatisfy { $0 == [0, 1] })
        #expect(!track.isMissingPackets)
    }

    @Test func whatCameLateIsNotAskedForAgain() {
        var track = TrackReception(ssrc: 1, kind: .video)
        for number: UInt16 in [10, 13, 11] { track.record(header(number), bytes: 100, now: Self.millisecond) }
        #expect(track.numbersToAskFor(now: 100 * Self.millisecond).map(\.rawValue) == [12])
    }

    @Test func audioIsNotAskedForAgain() {
        var track = TrackReception(ssrc: 1, kind: .audio)
        for number: UInt16 in [10, 13] { track.record(header(number), bytes: 100, now: Self.millisecond) }
        #expect(track.numbersToAskFor(now: 100 * Self.millisecond).isEmpty)
    }

    @Test func aReportCountsFromTheOneBefore() {
        var track = TrackReception(ssrc: 1, kind: .video)
        for number: UInt16 in [0, 1, 2, 4] { track.record(header(number), bytes: 100, now: Self.millisecond) }
        let first = track.reportBlock(now: Self.millisecond)
        #expect(first?.fractionLost == 51)
        #expect(first?.cumulativeLost == 1)
        for number: UInt16 in [5, 6] { track.record(header(number), bytes: 100, now: Self.millisecond) }
        let second = track.reportBlock(now: Self.millisecond)
        #expect(second?.fractionLost == 0)
        #expect(second?.cumulativeLost == 1)
    }
}
