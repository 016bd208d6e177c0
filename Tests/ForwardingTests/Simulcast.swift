import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

/// A track in three encodings, each a producer, captured at the same time: 30 frames a second.
final class Simulcast {
    static let interval = MediaTime.microseconds(33_333)
    static let media = SSRC(0x1000)
    static let rtx = RTXStream(ssrc: SSRC(0x2000), payloadType: PayloadType(97))

    let harness: RouterHarness
    private(set) var sources: [UInt32: LayeredSource] = [:]
    private(set) var producers: [Producer] = []
    /// Encodings whose next frame is a key frame.
    var wantsKey: Set<Int> = [0, 1, 2]
    private(set) var frame = 0

    init(_ harness: RouterHarness, seed: UInt64 = 1) {
        self.harness = harness
        for e in 0..<3 {
            var source = SyntheticSource(
                id: UInt32(e), kind: .video, firstSequence: UInt16(65_300 + 100 * e), seed: seed &* 17)
            source.pictureID = UInt16(32_000 + 300 * e)
            producers.append(harness.producer(source))
            sources[UInt32(e)] = LayeredSource(source, seed: seed &+ UInt64(e))
        }
    }

    /// Sends a sender report of each encoding, which gives the time of its frames.
    func report() {
        for e in 0..<3 {
            let ntp = NTPTime(seconds: 3_900_000_000, fraction: 0).advanced(
                by: .nanoseconds(Int64(frame) * 1_000_000_000 / 30))
            producers[e].clock.report(
                ntp: ntp, timestamp: RTPTimestamp(sources[UInt32(e)]!.source.timestamp), now: harness.now)
        }
    }

    /// Returns the next frame of each encoding.
    func frames(packets: [Int] = [1, 2, 4]) -> [[SourcePacket]] {
        frame += 1
        return (0..<3).map { e in
            let isKey = wantsKey.remove(e) != nil
            return sources[UInt32(e)]!.frame(isKey: isKey, packets: packets[e], now: harness.now)
        }
    }

    /// Sends the next frame of each encoding to the router.
    func step(packets: [Int] = [1, 2, 4]) throws {
        for (e, frame) in frames(packets: packets).enumerated() { try harness.feed(frame, to: producers[e]) }
        try harness.flush()
        try pass(Self.interval)
    }

    /// Advances the time, with catch-up.
    func pass(_ span: MediaTime) throws {
        let end = harness.now + span
        while harness.now + .milliseconds(1) <= end { try harness.catchUp() }
        harness.now = end
    }

    func subscribe(_ subscriber: Subscriber, to encoding: Int, rtx: Bool = true, layerLimit: UInt8 = 3) {
        if rtx { subscriber.streams.rtx[Self.rtx.ssrc.rawValue] = Self.media.rawValue }
        if harness.subscribe(
            subscriber, to: producers[encoding], ssrc: Self.media,
            progress: .init(firstSequence: 32_700, firstRTXSequence: 9), rtx: rtx ? Self.rtx : nil,
            extensions: rtx ? .init(map: HeaderExtensionTests.map(), kind: .video, mid: MID("1")) : .init(),
            layerLimit: layerLimit)
        {
            wantsKey.insert(encoding)
        }
    }

    @discardableResult
    func change(_ subscriber: Subscriber, to encoding: Int, layerLimit: UInt8 = 3) -> Bool {
        // Any former producer of the track is accepted.
        guard let from = harness.router.feeder(path: subscriber.path, ssrc: Self.media) else { return false }
        let wants = harness.router.switchConsumer(
            path: subscriber.path, from: from, to: producers[encoding], layerLimit: layerLimit, now: harness.now)
        if wants { wantsKey.insert(encoding) }
        return wants
    }

    /// Returns first transmissions and retransmissions, without duplicates.
    static func packets(of subscriber: Subscriber) -> [ViewedPacket] {
        var all = subscriber.packets[media.rawValue] ?? []
        var known = Set(all.map(\.sequence))
        for packet in subscriber.streams.retransmitted[media.rawValue] ?? []
        where known.insert(packet.sequence).inserted {
            all.append(packet)
        }
        return all
    }
}
