import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

@Suite("Any sequence of switches")
struct SwitchingPropertyTests {
    @Test(
        "With loss, reordering, limits, pauses, mutes and pacing: no number twice, nothing undecodable, time advances",
        arguments: UInt64(1)...18)
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 15_485_863)
        let harness = RouterHarness(maximumSegments: seed % 5 == 0 ? 1 : 64)
        let simulcast = Simulcast(harness, seed: seed)
        let subscribers = try (0..<5).map { v in
            let subscriber = try harness.subscriber(SRTPSuite.allCases[v % 3], lane: .webRTC)
            simulcast.subscribe(subscriber, to: random.below(3), rtx: v != 4, layerLimit: UInt8(random.below(4)))
            if seed % 3 == 0, v < 3 {
                harness.router.path(subscriber.path).pointee.pacing.setRate(
                    .kilobits(Int64(200 + 400 * v)), now: harness.now)
            }
            return subscriber
        }
        var held: [(packet: SourcePacket, encoding: Int)] = []
        var missing: [UInt32: Set<Int64>] = [:]
        for f in 0..<350 {
            if seed % 2 == 0, f % 30 == 3 { simulcast.report() }
            if random.below(15) == 0 { simulcast.wantsKey.insert(random.below(3)) }
            for (e, frame) in simulcast.frames(packets: [1, 2, 3 + random.below(3)]).enumerated() {
                for packet in frame {
                    switch random.below(25) {
                    case 0, 1:
                        // It may arrive when its subscriber has switched to another encoding.
                        held.append((packet, e))
                        missing[UInt32(e), default: []].insert(packet.index)
                    case 2 where random.below(3) == 0: missing[UInt32(e), default: []].insert(packet.index)
                    default:
                        if try harness.feed(packet, to: simulcast.producers[e]) == .muted {
                            missing[UInt32(e), default: []].insert(packet.index)
                        }
                    }
                }
                if random.below(2) == 0 { try harness.flush() }
            }
            while !held.isEmpty, random.below(3) == 0 || held.count > 12 {
                let (packet, e) = held.remove(at: random.below(held.count))
                if try harness.feed(packet, to: simulcast.producers[e]) != .forward {
                    missing[UInt32(e), default: []].insert(packet.index)
                }
            }
            try harness.flush()
            try simulcast.pass(Simulcast.interval)
            for subscriber in subscribers {
                switch random.below(60) {
                case 0...3: simulcast.change(subscriber, to: random.below(3), layerLimit: UInt8(random.below(4)))
                case 4:
                    if let feeder = harness.router.feeder(path: subscriber.path, ssrc: Simulcast.media) {
                        harness.router.setLayerLimit(UInt8(random.below(4)), path: subscriber.path, producer: feeder)
                    }
                case 5:
                    let feeder = try #require(harness.router.feeder(path: subscriber.path, ssrc: Simulcast.media))
                    if harness.router.setPaused(
                        random.below(2) == 0, path: subscriber.path, producer: feeder),
                        let e = simulcast.producers.firstIndex(where: { $0 === feeder })
                    {
                        simulcast.wantsKey.insert(e)
                    }
                case 6 where random.below(4) == 0:
                    harness.router.cancelSwitch(
                        path: subscriber.path, producer: simulcast.producers[random.below(3)], now: harness.now)
                case 7...12:
                    guard let newest = subscriber.packets[Simulcast.media.rawValue]?.last else { break }
                    let asked = (0..<20).map { _ in newest.header.sequenceNumber.advanced(by: -random.below(60)) }
                    _ = try harness.retransmit(asked, to: subscriber, of: simulcast.producers[random.below(3)])
                case 13: _ = try harness.sendPadding(1 + random.below(4000), to: subscriber, probe: 3)
                default: break
                }
            }
            if random.below(70) == 0 {
                let e = random.below(3)
                simulcast.producers[e].setMuted(!simulcast.producers[e].isMuted)
                simulcast.wantsKey.insert(e)
            }
        }
        for (packet, e) in held { missing[UInt32(e), default: []].insert(packet.index) }
        var total = 0
        for subscriber in subscribers { total += try verify(subscriber, simulcast, missing) }
        #expect(total > 350)
    }

    private func verify(_ subscriber: Subscriber, _ simulcast: Simulcast, _ missing: [UInt32: Set<Int64>]) throws -> Int
    {
        let all = Simulcast.packets(of: subscriber)
        #expect(Set(all.map(\.sequence)).count == all.count)
        let fillers = subscriber.streams.fillers[Simulcast.media.rawValue] ?? []
        #expect(Set(all.map(\.sequence)).isDisjoint(with: fillers))
        let seen = try ViewedFrames(all, of: simulcast.sources)
        var runs = 0
        var source: UInt32?
        var whole: Set<Int> = []
        for frame in seen.frames {
            let origin = try #require(simulcast.sources[frame.source])
            let made = origin.frames[frame.number]
            if frame.source != source {
                runs += 1
                whole = []
                // The first packet may be missing, but the frame is the key frame.
                #expect(made.isKey)
            }
            source = frame.source
            if made.isKey { whole = [] }
            if frame.isWhole, !made.isKey {
                for reference in made.references where !whole.contains(reference) {
                    let packets = origin.frames[reference].packets.map(\.index)
                    #expect(
                        packets.contains { missing[frame.source]?.contains($0) == true },
                        "frame \(made.number) of \(frame.source) lacks \(reference)")
                }
            }
            if frame.isWhole { whole.insert(made.number) }
        }
        for (earlier, later) in zip(seen.frames, seen.frames.dropFirst()) {
            let ticks = later.packets[0].header.timestamp.distance(from: earlier.packets[0].header.timestamp)
            #expect(ticks > 0, "\(later.packets[0]) after \(earlier.packets[0])")
            let before = try #require(earlier.packets[0].descriptor)
            let after = try #require(later.packets[0].descriptor)
            let step = (after.pictureID &- before.pictureID) & 0x7fff
            #expect(step >= 1 && step < 200)
            if later.source != earlier.source {
                #expect(after.tl0PicIdx == before.tl0PicIdx &+ 1 || earlier.isWhole == false || step > 1)
            }
        }
        return all.count
    }
}
