import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing

@testable import WebRTCClient

@Suite("Authentic subscribers that send hostile RTCP, in virtual time")
struct HostileSubscriberTests {
    /// Sends the packets that `write` appends as one datagram of authentic RTCP.
    private func send(_ client: VirtualClient, in call: VirtualCall, _ write: (inout [UInt8]) -> Void) throws {
        var bytes: [UInt8] = []
        write(&bytes)
        var length = bytes.count
        bytes += [UInt8](repeating: 0, count: 64)
        let protector = try #require(client.endpoint.protector)
        try bytes.withUnsafeMutableBytes { room in
            try protector.protectRTCP(room.baseAddress!, length: &length, capacity: room.count)
        }
        call.network.send(Array(bytes[..<length]), from: client.address, to: VirtualCall.relayAddress)
    }

    /// A call with a hostile subscriber and another one; `number` is the transport-wide number of the hostile subscriber's newest packet.
    private final class Scene {
        let call: VirtualCall
        let attacker: VirtualClient
        let subscriber: VirtualClient
        var number: UInt16 = 0

        init(seed: UInt64) throws {
            call = try VirtualCall.withPublisher(seed: seed).0
            attacker = try call.view()
            subscriber = try call.view()
            let take = attacker.endpoint.onPacket
            attacker.endpoint.onPacket = { [unowned self] packet in
                number = packet.extensions.transportSequence?.number.rawValue ?? number
                take?(packet)
            }
            call.run(seconds: 2)
        }

        /// Checks that the other subscriber received everything, in time.
        func checkOther() {
            let reception = subscriber.reception
            #expect(
                subscriber.audio.isContiguous && subscriber.frames.isContiguous,
                "\(subscriber.audio) \(subscriber.frames)")
            #expect(reception.missedFrames == 0 && reception.missedAudioPackets == 0 && reception.wrong == 0)
            #expect(reception.longestPause < .milliseconds(50), "\(reception.longestPause)")
            #expect(subscriber.end == nil && attacker.end == nil)
            let counters = call.relay.counters
            #expect(counters.dropped.allSatisfy { $0.count == 0 }, "\(counters.dropped)")
        }
    }

    @Test("18,000 feedback packets that move the reference time by 2^23 - 1 each do not affect the media of others")
    func runawayReferenceTime() throws {
        let scene = try Scene(seed: 71)
        #expect(scene.number > 0)
        let before = scene.call.relay.counters.rtcpReceived
        var reference: Int32 = 0
        for _ in 0..<450 {
            try send(scene.attacker, in: scene.call) { bytes in
                for count in 0..<40 as Range<UInt8> {
                    reference = ((reference &+ (1 << 23 - 1)) << 8) >> 8
                    TransportCC(
                        sender: SSRC(1), media: SSRC(2), baseSequence: SequenceNumber(scene.number), statusCount: 1,
                        referenceTime: reference, feedbackCount: count, arrivals: []
                    ).write(into: &bytes)
                }
            }
            scene.call.run(seconds: 0.01)
            // The client's own feedback is sent in between; its reference time is near 0.
            reference = 0
        }
        scene.call.run(seconds: 3)
        #expect(scene.call.relay.counters.rtcpReceived - before >= 450)
        scene.checkOther()
        #expect(scene.subscriber.reception.frames > 260)
    }

    @Test("RTCP of any kind with any values does not affect the media of others", arguments: UInt64(1)...3)
    func anyValues(seed: UInt64) throws {
        let scene = try Scene(seed: 72)
        var random = SeededGenerator(seed: seed)
        func ssrc() -> SSRC {
            let known = scene.attacker.endpoint.incoming.map(\.ssrc)
            return random.below(8) == 0 || known.isEmpty
                ? SSRC(UInt32(truncatingIfNeeded: random.next())) : known[random.below(known.count)]
        }
        for _ in 0..<600 {
            try send(scene.attacker, in: scene.call) { bytes in
                for _ in 0..<8 where bytes.count < 1_000 {
                    switch random.below(7) {
                    case 0:
                        REMB(
                            sender: SSRC(1), bitrate: Bitrate(rawValue: Int64(bitPattern: random.next())),
                            sources: [ssrc()]
                        ).write(into: &bytes)
                    case 1:
                        let block = ReportBlock(
                            source: ssrc(), fractionLost: UInt8(truncatingIfNeeded: random.next()),
                            cumulativeLost: Int32(truncatingIfNeeded: random.next()), highestSequence: .max,
                            jitter: UInt32(truncatingIfNeeded: random.next()),
                            lastSenderReport: UInt32(truncatingIfNeeded: random.next()),
                            delaySinceLastSenderReport: UInt32(truncatingIfNeeded: random.next()))
                        ReceiverReport(sender: SSRC(1), blocks: Array(repeating: block, count: random.below(5))).write(
                            into: &bytes)
                    case 2:
                        let first = UInt16(truncatingIfNeeded: random.next())
                        GenericNACK(
                            sender: SSRC(1), media: ssrc(),
                            sequences: (0..<UInt16(1 + random.below(200))).map { SequenceNumber(first &+ $0) }
                        ).write(into: &bytes)
                    case 3:
                        FIR(
                            sender: SSRC(1),
                            entries: [.init(source: ssrc(), sequence: UInt8(truncatingIfNeeded: random.next()))]
                        ).write(into: &bytes)
                    case 4:
                        // Extended report (RFC 3611) with a block of random content.
                        bytes += [0x80, 207, 0, 4]
                        for _ in 0..<2 { bytes += withUnsafeBytes(of: random.next()) { Array($0) } }
                    case 5:
                        SenderReport(
                            sender: ssrc(), ntpTime: NTPTime(rawValue: random.next()),
                            rtpTimestamp: RTPTimestamp(UInt32(truncatingIfNeeded: random.next())), packetCount: .max,
                            octetCount: .max
                        ).write(into: &bytes)
                    default:
                        let base = scene.number &- UInt16(random.below(20))
                        TransportCC(
                            sender: SSRC(1), media: SSRC(2), baseSequence: SequenceNumber(base), statusCount: 3,
                            referenceTime: Int32(truncatingIfNeeded: random.next()) >> 8, feedbackCount: 0,
                            arrivals: [
                                .init(
                                    sequence: SequenceNumber(base &+ UInt16(random.below(3))),
                                    delta: Int16(truncatingIfNeeded: random.next()))
                            ]
                        ).write(into: &bytes)
                    }
                }
            }
            scene.call.run(seconds: 0.01)
        }
        scene.call.run(seconds: 2)
        let reception = scene.subscriber.reception
        #expect(reception.missedFrames == 0 && reception.missedAudioPackets == 0 && reception.wrong == 0)
        #expect(scene.subscriber.end == nil && reception.frames > 250, "\(reception)")
    }
}
