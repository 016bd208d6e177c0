import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing
import WebRTCClient
import WebRTCTestKit

@Suite("Key frame requests of one subscriber, in virtual time")
struct KeyFrameRequestTests {
    /// Requests a key frame every 100 ms; the client sends at most one in 500 ms, as a client that cannot decode does.
    private func request(_ client: VirtualClient, in call: VirtualCall, seconds: Double) {
        for _ in 0..<Int(seconds * 10) {
            client.endpoint.requestKeyFrame(track: 1)
            client.drain()
            call.run(seconds: 0.1)
        }
    }

    @Test("A subscriber that cannot decode causes at most 3 key frames in 10 s; others are served") func limited()
        throws
    {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 61)
        let attacker = try call.view()
        let other = try call.view()
        call.run(seconds: 3)
        func keyFrames() -> UInt64 { publisher.publisher.keyFrames }
        let first = keyFrames()
        request(attacker, in: call, seconds: 8)
        #expect(keyFrames() - first == 3, "of 16 requests in 8 s")
        #expect(call.relay.counters.keyFrameRequestsLimited >= 10)
        // Another subscriber has its own budget.
        let second = keyFrames()
        other.endpoint.requestKeyFrame(track: 1)
        other.drain()
        call.run(seconds: 0.6)
        #expect(keyFrames() - second == 1)
        let reception = other.reception
        #expect(reception.missedFrames == 0 && reception.longestPause < .milliseconds(100), "\(reception)")
    }

    @Test("Requests that a publisher ignores for 2 s are counted, and those that it answers are not") func ignored()
        throws
    {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 64)
        call.run(seconds: 2)
        let first = try call.view()
        call.run(seconds: 3)
        #expect(first.reception.frames > 60 && call.relay.counters.keyFrameRequestsSent > 0)
        #expect(call.relay.counters.keyFrameRequestsIgnored == 0)
        publisher.publisher.ignoresKeyFrameRequests = true
        // The next subscriber waits for a key frame, because the cached one is too old.
        call.run(seconds: 30)
        let second = try call.view()
        call.run(seconds: 8)
        let ignored = call.relay.counters.keyFrameRequestsIgnored
        #expect(ignored > 0 && ignored < call.relay.counters.keyFrameRequestsSent)
        publisher.publisher.ignoresKeyFrameRequests = false
        call.run(seconds: 3)
        #expect(second.reception.frames > 30)
    }

    @Test(
        "A switch to another encoding takes at most 250 ms just after a request for a key frame of it",
        arguments: [40, 90, 170, 330, 480] as [Int64])
    func switchAfterRequest(_ milliseconds: Int64) throws {
        let rids = ["q", "h", "f"].compactMap { RID($0) }
        let (call, _) = try VirtualCall.withPublisher(seed: 63, rids: rids, video: SyntheticVideo.Encoding.simulcast)
        let large = try call.view()
        let small = try call.view()
        for (client, rid) in [(large, rids[2]), (small, rids[0])] {
            try call.control { try $0.setLayer(client.id, session: "room", .encoding(rid, temporal: nil)) }
        }
        call.run(seconds: 5)
        #expect(small.reception.lastEncoding == 0 && large.reception.lastEncoding == 2)
        large.endpoint.requestKeyFrame(track: 1)
        large.drain()
        call.run(seconds: Double(milliseconds) / 1_000)
        try call.control { try $0.setLayer(small.id, session: "room", .encoding(rids[2], temporal: nil)) }
        let start = call.now
        #expect(call.run(atMost: 2) { small.reception.lastEncoding == 2 })
        #expect(call.now - start <= .milliseconds(250), "\(call.now - start)")
        #expect(small.reception.wrong == 0)
    }

    @Test("After a switch to another encoding, requests are served again") func afterSwitch() throws {
        let rids = ["q", "h", "f"].compactMap { RID($0) }
        let (call, publisher) = try VirtualCall.withPublisher(
            seed: 62, rids: rids, video: SyntheticVideo.Encoding.simulcast)
        let subscriber = try call.view()
        try call.control { try $0.setLayer(subscriber.id, session: "room", .encoding(rids[1], temporal: nil)) }
        call.run(seconds: 5)
        request(subscriber, in: call, seconds: 3)
        // The last request is still in flight.
        call.run(seconds: 0.2)
        let refused = call.relay.counters.keyFrameRequestsLimited
        #expect(refused > 0)
        try call.control { try $0.setLayer(subscriber.id, session: "room", .encoding(rids[0], temporal: nil)) }
        call.run(seconds: 2)
        let before = publisher.publisher.keyFrames
        subscriber.endpoint.requestKeyFrame(track: 1)
        subscriber.drain()
        call.run(seconds: 1)
        #expect(call.relay.counters.keyFrameRequestsLimited == refused)
        #expect(publisher.publisher.keyFrames == before + 1)
    }
}
