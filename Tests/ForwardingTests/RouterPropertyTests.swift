import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import SRTP
import Testing

/// Random joins, leaves, pauses, mutes, key frames, loss, reordering, duplicates and retransmissions from a seed. After each run the
/// packets of every subscriber are compared with those that the publishers sent.
@Suite("Any sequence of events")
struct RouterPropertyTests {
    /// A publisher and the outcome of its packets.
    private struct Track {
        var source: SyntheticSource
        let producer: Producer
        /// Step at which the relay accepted a packet, by its index.
        var taken: [Int64: Int] = [:]
        var mutedIndices: Set<Int64> = []
        var payloads: [Int64: [UInt8]] = [:]
        var held: [SourcePacket] = []
        var needsKey = true
    }

    /// A subscription to one track, with the steps between which it gets packets.
    private struct Subscription {
        let subscriber: Subscriber
        let track: Int
        let ssrc: SSRC
        var isPaused = false
        var hasLeft = false
        /// Packets received before each interruption, and its step.
        var interruptions: [(count: Int, step: Int)] = []
    }

    @Test("Every subscriber gets its own complete streams and nothing else", arguments: UInt64(1)...8)
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 7919)
        let harness = RouterHarness(maximumSegments: seed % 3 == 0 ? 1 : 64)
        var tracks = (0..<4).map { i in
            var source = SyntheticSource(
                id: UInt32(i), kind: i < 2 ? .audio : .video, firstSequence: UInt16(65_000 + random.below(536)),
                seed: seed)
            source.hasNarrowPictureIDs = i == 3 && seed % 2 == 0
            return Track(source: source, producer: harness.producer(source))
        }
        var subscriptions: [Subscription] = []
        var nextSSRC: UInt32 = 1

        func got(_ s: Int) -> Int { subscriptions[s].subscriber.packets[subscriptions[s].ssrc.rawValue]?.count ?? 0 }

        for step in 0..<1500 {
            // A publisher's packet: lost, held back, duplicated or sent normally.
            let t = random.below(4)
            var packets: [SourcePacket]
            if tracks[t].source.kind == .audio {
                packets = [tracks[t].source.audioPacket(bytes: 40 + random.below(60))]
            } else {
                let isKey = tracks[t].needsKey || random.below(25) == 0
                tracks[t].needsKey = false
                packets = tracks[t].source.frame(
                    isKey: isKey, packets: 1 + random.below(5), sizes: [300 + random.below(20), 310])
            }
            for packet in packets {
                tracks[t].payloads[packet.index] = packet.payload
                switch random.below(40) {
                case 0: continue
                case 1, 2: tracks[t].held.append(packet)
                default: try take(packet, &tracks[t], harness, step)
                }
                if random.below(50) == 0, tracks[t].taken[packet.index] != nil {
                    #expect(try harness.feed(packet, to: tracks[t].producer) != .forward)
                }
            }
            while !tracks[t].held.isEmpty, random.below(3) == 0 {
                let packet = tracks[t].held.remove(at: random.below(tracks[t].held.count))
                // Not so late that another packet uses its slot.
                if tracks[t].producer.latestSequence - packet.index < 200 {
                    try take(packet, &tracks[t], harness, step)
                }
            }

            // A random action of a participant.
            if random.below(6) == 0 {
                try harness.flush()
                switch random.below(12) {
                case 0...3 where subscriptions.count < 60:
                    let subscriber = try harness.subscriber(SRTPSuite.allCases[random.below(3)])
                    for track in 0..<4 where random.below(2) == 0 {
                        nextSSRC += 1
                        harness.subscribe(
                            subscriber, to: tracks[track].producer, ssrc: SSRC(nextSSRC),
                            progress: .init(firstSequence: UInt16(truncatingIfNeeded: random.next())))
                        subscriptions.append(Subscription(subscriber: subscriber, track: track, ssrc: SSRC(nextSSRC)))
                    }
                case 4 where !subscriptions.isEmpty:
                    let subscriber = subscriptions[random.below(subscriptions.count)].subscriber
                    guard !subscriptions.contains(where: { $0.subscriber === subscriber && $0.hasLeft }) else { break }
                    harness.leave(subscriber)
                    for s in subscriptions.indices where subscriptions[s].subscriber === subscriber {
                        subscriptions[s].hasLeft = true
                        subscriptions[s].interruptions.append((got(s), step))
                    }
                case 5...7 where !subscriptions.isEmpty:
                    let s = random.below(subscriptions.count)
                    guard !subscriptions[s].hasLeft else { break }
                    subscriptions[s].isPaused.toggle()
                    let producer = tracks[subscriptions[s].track].producer
                    let wants = harness.router.setPaused(
                        subscriptions[s].isPaused, path: subscriptions[s].subscriber.path, producer: producer)
                    if wants { tracks[subscriptions[s].track].needsKey = true }
                    if subscriptions[s].isPaused { subscriptions[s].interruptions.append((got(s), step)) }
                case 8:
                    let track = random.below(4)
                    let muted = !tracks[track].producer.isMuted
                    tracks[track].producer.setMuted(muted)
                    if !muted { tracks[track].needsKey = true }
                    if muted {
                        for s in subscriptions.indices
                        where subscriptions[s].track == track && !subscriptions[s].hasLeft {
                            subscriptions[s].interruptions.append((got(s), step))
                        }
                    }
                case 9...11 where !subscriptions.isEmpty:
                    let s = random.below(subscriptions.count)
                    guard !subscriptions[s].hasLeft,
                        let last = subscriptions[s].subscriber.packets[subscriptions[s].ssrc.rawValue]?.last
                    else { break }
                    let asked = (0..<20).map { _ in last.header.sequenceNumber.advanced(by: -random.below(80)) }
                    _ = try harness.retransmit(
                        asked, to: subscriptions[s].subscriber, of: tracks[subscriptions[s].track].producer)
                default: break
                }
            }
            if random.below(3) == 0 { try harness.flush() }
            if random.below(3) == 0 { try harness.catchUp() }
            harness.now += .milliseconds(1)
        }
        try harness.flush()
        try harness.catchUpCompletely()
        var total = 0
        for s in subscriptions.indices { total += try verify(subscriptions[s], tracks[subscriptions[s].track]) }
        #expect(total > 800)
        // No subscriber received another one's SSRC.
        for subscriber in harness.subscribers {
            let own = Set(subscriptions.filter { $0.subscriber === subscriber }.map(\.ssrc.rawValue))
            #expect(own.isSuperset(of: subscriber.packets.keys))
        }
    }

    private func take(_ packet: SourcePacket, _ track: inout Track, _ harness: RouterHarness, _ step: Int) throws {
        switch try harness.feed(packet, to: track.producer) {
        case .forward: track.taken[packet.index] = step
        case .muted: track.mutedIndices.insert(packet.index)
        case .tooOld, .duplicate, .wrongPayloadType, .malformed: Issue.record("packet \(packet.index) was refused")
        }
    }

    /// - Returns: number of packets that the subscriber received.
    private func verify(_ subscription: Subscription, _ track: Track) throws -> Int {
        let all = subscription.subscriber.packets[subscription.ssrc.rawValue] ?? []
        guard !all.isEmpty else { return 0 }
        #expect(all.allSatisfy { $0.sourceID == track.source.id })
        #expect(all.allSatisfy { track.taken[$0.index] != nil && !track.mutedIndices.contains($0.index) })
        #expect(all.allSatisfy { $0.payload.count == track.payloads[$0.index]?.count })
        #expect(Set(all.map(\.index)).count == all.count)
        #expect(Set(all.map(\.sequence)).count == all.count)

        // Split at the interruptions: within each run the numbering is the source's with one offset. Packets that an earlier run lacked may
        // arrive later, by retransmission.
        var runs: [(packets: [ViewedPacket], end: Int)] = []
        var highest = Int64.min
        for (count, step) in subscription.interruptions + [(all.count, Int.max)] {
            guard let last = all.prefix(count).map(\.sequence).max(), last > highest else { continue }
            runs.append((all.filter { $0.sequence > highest && $0.sequence <= last }, step))
            highest = last
        }
        var newest: (sequence: Int64, descriptor: VP8PayloadDescriptor?)?
        for (packets, end) in runs {
            let first = packets.min { $0.sequence < $1.sequence }!
            let last = packets.max { $0.sequence < $1.sequence }!
            #expect(packets.allSatisfy { $0.sequence - first.sequence == $0.index - first.index })
            if let newest { #expect(first.sequence == newest.sequence + 1, "a pause leaves no gap") }
            if let descriptor = first.descriptor {
                #expect(descriptor.isKeyFrameStart)
                let mask: UInt16 = descriptor.pictureIDWidth == 2 ? 0x7fff : 0x7f
                if let before = newest?.descriptor {
                    #expect(descriptor.pictureID == (before.pictureID &+ 1) & mask)
                    #expect(descriptor.tl0PicIdx == before.tl0PicIdx &+ 1)
                }
                // All PictureIDs of the run have the same offset.
                let offsets = try packets.map { packet in
                    let original = try #require(track.payloads[packet.index])
                    let parsed = try original.withUnsafeBytes { try VP8PayloadDescriptor(parsing: $0) }
                    return (try #require(packet.descriptor).pictureID &- parsed.pictureID) & mask
                }
                #expect(Set(offsets).count == 1)
            }
            newest = (last.sequence, last.descriptor)
            // Everything that the relay accepted in this range before the run ended has been delivered.
            let delivered = Set(packets.map(\.index))
            for (index, step) in track.taken where index >= first.index && index <= last.index && step < end {
                #expect(delivered.contains(index), "packet \(index) is missing")
            }
        }
        if !subscription.hasLeft, !subscription.isPaused, !track.producer.isMuted, let last = runs.last,
            last.end == Int.max,
            let newest = track.taken.keys.max()
        {
            #expect(last.packets.contains { $0.index == newest }, "a live subscriber has the newest packet")
        }
        return all.count
    }
}
