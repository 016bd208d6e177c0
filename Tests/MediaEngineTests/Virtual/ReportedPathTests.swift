import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Testing
import WebRTCClient
import WebRTCTestKit

/// B13: the goals of subscribers with transport-wide feedback also hold for those that send REMB.
@Suite("Subscribers that send REMB and no transport-wide feedback")
struct ReportedPathTests {
    /// A rate limit of 22 s on a subscriber's path.
    struct Limit: Sendable, CustomStringConvertible {
        /// kb/s.
        var rate: Int64
        /// Bytes.
        var queue = 40_000
        var simulcast = false
        var seed: UInt64 = 1

        var description: String { "\(rate) kb/s, \(queue / 1_000) kB, simulcast \(simulcast), seed \(seed)" }
    }

    private static let limits: [Limit] = [
        Limit(rate: 150), Limit(rate: 150, seed: 2), Limit(rate: 150, queue: 15_000, seed: 3),
        Limit(rate: 150, simulcast: true), Limit(rate: 500, simulcast: true),
        Limit(rate: 500, queue: 100_000, simulcast: true, seed: 2),
    ]

    private static func path(_ kilobits: Int64, queue: Int) -> LinkConditions {
        var conditions = LinkConditions(delay: .milliseconds(20))
        conditions.rate = .kilobits(kilobits)
        conditions.queue = queue
        return conditions
    }

    @Test(
        "A limit of 22 s: less video or none within 2 s, the audio is kept, the video is back within 10 s",
        arguments: limits)
    func narrow(_ limit: Limit) throws {
        let (call, _) = try VirtualCall.withPublisher(
            seed: limit.seed, rids: limit.simulcast ? ["l", "m", "h"].map { RID($0)! } : [],
            video: limit.simulcast
                ? SyntheticVideo.Encoding.simulcast : [.init(width: 1280, height: 720, bitrate: .kilobits(1_500))])
        call.run(seconds: 1)
        let subscriber = try call.view(sendsREMB: true)
        func set(_ kilobits: Int64) {
            call.network.set(
                Self.path(kilobits, queue: limit.queue), from: VirtualCall.relayAddress, to: subscriber.address)
        }
        let largest: UInt8 = limit.simulcast ? 2 : 0
        func frames(of encoding: UInt8) -> UInt64 { subscriber.reception.framesByEncoding[encoding] ?? 0 }
        set(10_000)
        #expect(call.run(atMost: 15) { frames(of: largest) > 60 })
        call.run(seconds: 2)
        #expect(subscriber.reception.missedAudioPackets == 0)

        set(limit.rate)
        call.run(seconds: 2)
        let before = frames(of: largest)
        let decided = try Self.largestIsOff(subscriber, call)
        // The queue left by the flood drains.
        call.run(seconds: 1)
        let saved = subscriber.reception
        call.run(seconds: 19)
        let during = subscriber.reception
        let heard = Double(during.audioPackets - saved.audioPackets)
        let lost = max(0, Double(during.missedAudioPackets) - Double(saved.missedAudioPackets)) / (19 * 50)
        let tail = frames(of: largest) - before

        set(10_000)
        let widened = call.now
        let isBack = call.run(atMost: 12) { frames(of: largest) > before + tail + 5 }
        let back = call.now - widened
        print(
            "REMB|\(limit)|off \(decided)|heard \(Int(heard))|lost \(lost)|tail \(tail)|",
            "back \(isBack ? back.description : "never")")
        #expect(decided)
        #expect(heard > 900)
        #expect(lost <= 0.02)
        #expect(isBack && back < .seconds(10))
        #expect(subscriber.reception.wrong == 0)
    }

    /// Returns whether the relay has stopped sending the largest encoding.
    private static func largestIsOff(_ subscriber: VirtualClient, _ call: VirtualCall) throws -> Bool {
        let statistics = try call.control { try $0.peerStatistics(subscriber.id, session: subscriber.session) }
        let video = try #require(statistics.subscribed.first { $0.kind == .video })
        return video.isPaused == true || video.height.map { $0 < 720 } ?? false
    }
}
