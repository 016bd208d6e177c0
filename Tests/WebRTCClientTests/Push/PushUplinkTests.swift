import MediaBase
import MillraceTestKit
import Testing
import WebRTCClient
import WebRTCTestKit

@Suite("LIV-1 encoding of a WHIP push over paths of many rates") struct PushUplinkTests {
    private func uplink(seed: UInt64, _ kilobits: Int64, retransmits: Bool = true) throws -> (
        PushUplink, SyntheticSubscriber
    ) {
        let uplink = try PushUplink(seed: seed, rate: .kilobits(kilobits), retransmits: retransmits)
        var random = SeededGenerator(seed: seed &+ 3)
        let configuration = WebRTCEndpoint.Configuration.subscriber(
            identity: PassingRelay.clientIdentity, retransmits: retransmits, using: &random)
        let subscriber = SyntheticSubscriber(
            WebRTCEndpoint(configuration, random: SeededGenerator(seed: seed &+ 4)), source: 1)
        try uplink.connect(to: subscriber, at: try #require(SocketAddress("10.0.1.1", port: 5000)))
        return (uplink, subscriber)
    }

    @Test(
        "The largest encoding that fits is sent within 15 s, and kept",
        arguments: [(350, 0), (900, 1), (1_300, 1), (3_000, 2), (20_000, 2)], 1...3 as ClosedRange<UInt64>)
    func fits(path: (kilobits: Int, encoding: Int), seed: UInt64) throws {
        let (uplink, subscriber) = try uplink(seed: seed, Int64(path.kilobits))
        uplink.run(seconds: 15)
        let before = uplink.changes
        uplink.run(seconds: 45)
        #expect(uplink.choices.suffix(300).allSatisfy { $0 == path.encoding }, "\(uplink.choices.suffix(300))")
        #expect(uplink.changes - before <= 4 && before <= 6, "\(before) and \(uplink.changes - before) changes")
        #expect(subscriber.reception.frames > 1_000 && subscriber.reception.wrong == 0)
    }

    @Test("A path that becomes narrow and wide again is followed", arguments: 1...3 as ClosedRange<UInt64>)
    func changes(seed: UInt64) throws {
        let (uplink, subscriber) = try uplink(seed: seed, 4_000)
        uplink.run(seconds: 10)
        #expect(uplink.choices.last == 2)
        uplink.set(.kilobits(800))
        uplink.run(seconds: 3)
        #expect(uplink.choices.suffix(5).allSatisfy { $0 < 2 }, "\(uplink.choices.suffix(30))")
        uplink.run(seconds: 20)
        #expect(uplink.choices.last == 1, "\(uplink.choices.suffix(50))")
        uplink.set(.kilobits(4_000))
        uplink.run(seconds: 20)
        #expect(uplink.choices.last == 2, "\(uplink.choices.suffix(50))")
        #expect(uplink.endpoint.statistics.probeBytes > 0 && subscriber.reception.wrong == 0)
    }

    @Test("Without a retransmission stream nothing is probed, and the largest encoding is sent")
    func noRetransmission() throws {
        let (uplink, _) = try uplink(seed: 7, 1_000, retransmits: false)
        uplink.run(seconds: 10)
        #expect(uplink.endpoint.statistics.probeBytes == 0 && uplink.choices.allSatisfy { $0 == 2 })
    }
}
