import MediaBase
import MillraceTestKit
import SDP
import Testing
import WebRTCClient
import WebRTCTestKit

@testable import MediaEngine

@Suite("Quality of peers over time, in virtual time")
struct QualityTests {
    private func points(_ client: VirtualClient, in call: VirtualCall) throws -> [QualityPoint] {
        try call.control { try $0.peerQuality(client.id, session: client.session).timeline?.points ?? [] }
    }

    @Test("Publisher and subscriber have a point each second, with packets, bit rate, layer and round-trip time")
    func course() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 81)
        let subscriber = try call.view()
        call.run(seconds: 20)
        let sent = try points(publisher, in: call)
        let received = try points(subscriber, in: call)
        for points in [sent, received] {
            #expect((17...20).contains(points.count), "\(points.count)")
            let gaps = zip(points.dropFirst(), points).map { $0.at - $1.at }
            #expect(gaps.allSatisfy { $0 >= .milliseconds(990) && $0 <= .milliseconds(1_200) }, "\(gaps)")
            #expect(points.dropFirst().allSatisfy { $0.packets >= 80 && $0.lost == 0 && $0.frozen == 0 })
            #expect(points.dropFirst().allSatisfy { $0.video?.height == 360 && $0.video?.layer == 0 })
            #expect(points.dropFirst(2).allSatisfy { (300...700).contains($0.bitrate.rawValue / 1_000) }, "\(points)")
        }
        #expect(sent.allSatisfy { $0.roundTrip == nil && $0.estimate == nil && $0.video?.temporalLayer == nil })
        let last = try #require(received.last)
        #expect(last.estimate != nil && last.video?.temporalLayer == 3)
        let roundTrip = try #require(last.roundTrip)
        #expect(roundTrip >= .milliseconds(19) && roundTrip < .milliseconds(60), "\(roundTrip)")
    }

    @Test("Losses on the way to a subscriber are in its timeline and in no other")
    func losses() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 82)
        let lossy = try call.view()
        let other = try call.view()
        call.network.set(
            LinkConditions(loss: 0.1, delay: .milliseconds(10)), from: VirtualCall.relayAddress, to: lossy.address)
        call.run(seconds: 30)
        func loss(_ client: VirtualClient) throws -> Double {
            let points = try points(client, in: call)
            return Double(points.reduce(0) { $0 + $1.lost }) / Double(points.reduce(0) { $0 + $1.packets })
        }
        let measured = try loss(lossy)
        // Retransmissions fill some of the gaps before the client reports them.
        #expect(measured > 0.01 && measured < 0.13, "\(measured)")
        #expect(try loss(other) == 0 && loss(publisher) == 0)
    }

    @Test(
        "A narrow path shows as a lower estimate and a smaller layer or a frozen video, and its end as their recovery")
    func narrowPath() throws {
        let (call, _) = try VirtualCall.withPublisher(
            seed: 83, rids: ["l", "m", "h"].map { RID($0)! }, video: SyntheticVideo.Encoding.simulcast)
        let subscriber = try call.view()
        func limit(_ kilobits: Int64) {
            var path = LinkConditions(delay: .milliseconds(20))
            path.rate = .kilobits(kilobits)
            path.queue = 40_000
            call.network.set(path, from: VirtualCall.relayAddress, to: subscriber.address)
        }
        limit(10_000)
        call.run(seconds: 15)
        let drop = call.now
        limit(500)
        call.run(seconds: 15)
        let end = call.now
        limit(10_000)
        call.run(seconds: 20)
        let points = try points(subscriber, in: call)
        let before = try #require(points.last { $0.at <= drop })
        let during = points.filter { $0.at > drop + .seconds(5) && $0.at <= end }
        let after = try #require(points.last)
        #expect(before.video?.layer == 2 && before.frozen == 0)
        #expect(during.count >= 8)
        #expect(
            during.allSatisfy {
                ($0.video.map { $0.layer < 2 } ?? true) && ($0.estimate ?? .kilobits(0)) < .kilobits(900)
            }, "\(during)")
        #expect(after.video?.layer == 2 && after.frozen == 0, "\(after)")
    }

    @Test("A publisher whose video stops is frozen in its own timeline, and a muted one is not")
    func frozenPublisher() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 84)
        _ = try call.view()
        call.run(seconds: 5)
        publisher.alter = { _ in nil }
        call.run(seconds: 4)
        let stopped = try #require(try points(publisher, in: call).last)
        #expect(stopped.frozen == 1 && stopped.packets == 0)
        publisher.alter = nil
        call.run(seconds: 3)
        try call.control {
            try $0.setMuted(session: publisher.session, stream: publisher.stream, kind: .video, muted: true)
        }
        call.run(seconds: 4)
        let muted = try #require(try points(publisher, in: call).last)
        #expect(muted.frozen == 0 && muted.video == nil)
    }

    @Test("The wait for the first frame is noted once for each subscriber, and not for video that does not arrive")
    func firstFrame() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 86) { $0.limits.qualityPoints = 0 }
        for _ in 0..<3 { _ = try call.view() }
        call.run(seconds: 10)
        let waits = call.relay.counters.firstFrameDelay
        #expect(waits.total == 3 && waits.maximum < .milliseconds(500), "\(waits.maximum)")
        publisher.alter = { _ in nil }
        call.run(seconds: 5)
        _ = try call.view()
        call.run(seconds: 5)
        publisher.alter = nil
        call.run(seconds: 5)
        #expect(call.relay.counters.firstFrameDelay.total == 3)
    }

    @Test("The number of points is limited, and 0 keeps none", arguments: [0, 5]) func limits(_ limit: Int) throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 85) { $0.limits.qualityPoints = limit }
        call.run(seconds: 12)
        let points = try points(publisher, in: call)
        #expect(points.count == limit)
        if limit > 0 { #expect(points[0].at > call.now - .seconds(7)) }
    }
}
