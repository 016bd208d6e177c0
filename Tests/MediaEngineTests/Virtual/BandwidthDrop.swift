import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import WebRTCClient
import WebRTCTestKit

/// A subscriber to three encodings whose path is narrow for 20 s.
struct BandwidthDrop: Sendable, CustomStringConvertible {
    /// kb/s.
    var rate: Int64 = 500
    /// ms, one way.
    var delay: Int64 = 20
    /// Bytes that the path queues before it drops packets.
    var queue = 40_000
    /// Seed of the run; it also sets when, relative to the frames, the path changes.
    var seed: UInt64 = 1

    /// Reception of the subscriber from the drop on.
    struct Outcome {
        /// Time from the drop to the first frame of a smaller encoding, and from its end to the first frame of the largest; nil: never.
        var down: MediaTime?
        var up: MediaTime?
        /// Longest time without a frame, and without an audio packet.
        var pause: MediaTime
        var audioPause: MediaTime
        /// Share of the audio packets that did not arrive.
        var lostAudio: Double
        var frames: UInt64
        /// Number of changes of encoding while the path was narrow, and after.
        var switches: UInt64
        var switchesAfter: UInt64
        /// Packets that the path's queue dropped while the subscriber joined, and while the path was narrow.
        var overflowedAtJoin: Int
        var overflowed: Int
        /// Time from the connection to the first frame.
        var first: MediaTime
        var wrong: UInt64
    }

    static let narrowFor = 20.0
    static let wide: Int64 = 10_000

    var description: String { "\(rate) kb/s, \(delay) ms, \(queue / 1000) kB, seed \(seed)" }

    private func path(_ kilobits: Int64) -> LinkConditions {
        var conditions = LinkConditions(delay: .milliseconds(delay))
        conditions.rate = .kilobits(kilobits)
        conditions.queue = queue
        conditions.jitter = .uniform(.milliseconds(2))
        return conditions
    }

    func run() throws -> Outcome {
        let (call, _) = try VirtualCall.withPublisher(
            seed: seed, rids: ["l", "m", "h"].map { RID($0)! }, video: SyntheticVideo.Encoding.simulcast)
        call.run(seconds: 2)
        let subscriber = try call.view()
        func limit(_ kilobits: Int64) {
            call.network.set(path(kilobits), from: VirtualCall.relayAddress, to: subscriber.address)
        }
        func seen(_ encoding: UInt8) -> UInt64 { subscriber.reception.framesByEncoding[encoding] ?? 0 }
        func overflowed() -> Int {
            call.network.statistics(from: VirtualCall.relayAddress, to: subscriber.address).overflowed
        }
        func time(atMost seconds: Double, until condition: () -> Bool) -> MediaTime? {
            let start = call.now
            return call.run(atMost: seconds, until: condition) ? call.now - start : nil
        }
        limit(Self.wide)
        _ = call.run(atMost: 15) { seen(2) > 30 }
        // The seed varies when the path changes between two frames and two allocations.
        call.run(seconds: 3 + Double(seed % 16) * 0.017)
        let overflowedAtJoin = overflowed()
        subscriber.forgetPauses()
        let before = subscriber.reception
        limit(rate)
        let small = seen(0) + seen(1)
        let down = time(atMost: Self.narrowFor) { seen(0) + seen(1) > small }
        call.run(seconds: Self.narrowFor - (down?.seconds ?? Self.narrowFor))
        let during = subscriber.reception
        let overflowedInAll = overflowed()
        let large = seen(2)
        limit(Self.wide)
        let up = time(atMost: 12) { seen(2) > large }
        call.run(seconds: 3)
        let after = subscriber.reception
        let heard = Double(after.audioPackets - before.audioPackets)
        let lost = Double(after.missedAudioPackets) - Double(before.missedAudioPackets)
        return Outcome(
            down: down, up: up, pause: after.longestPause, audioPause: subscriber.audio.longestPause,
            lostAudio: lost / (heard + lost), frames: during.frames - before.frames,
            switches: during.switches - before.switches, switchesAfter: after.switches - during.switches,
            overflowedAtJoin: overflowedAtJoin, overflowed: overflowedInAll - overflowedAtJoin,
            first: (before.firstFrame ?? .zero) - (subscriber.connectedAt ?? .zero), wrong: after.wrong)
    }
}
