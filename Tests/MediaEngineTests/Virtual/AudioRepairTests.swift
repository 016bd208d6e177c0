import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Testing
import WebRTCClient
import WebRTCTestKit

@Suite("Lost audio is sent again (RFC 4585), in virtual time")
struct AudioRepairTests {
    /// Times from the capture of audio to its arrival at one subscriber.
    private final class Delays {
        private(set) var all: [MediaTime] = []

        init(of client: VirtualClient, in call: VirtualCall) {
            let take = client.endpoint.onPacket
            client.endpoint.onPacket = { [unowned self, unowned call] packet in
                if packet.kind == .audio, let audio = SyntheticAudio(parsing: packet.payload) {
                    all.append(call.now - audio.captured)
                }
                take?(packet)
            }
        }

        /// Share of the packets that took longer.
        func share(beyond limit: MediaTime) -> Double { Double(all.count { $0 > limit }) / Double(max(all.count, 1)) }
    }

    private static let lossy = LinkConditions(loss: 0.03, delay: .milliseconds(20))

    /// Loses 3 % of the packets of a client, in both directions.
    private func lose(_ client: VirtualClient, in call: VirtualCall) {
        call.network.set(Self.lossy, from: client.address, to: VirtualCall.relayAddress)
        call.network.set(Self.lossy, from: VirtualCall.relayAddress, to: client.address)
    }

    private func withoutNACK(_ configuration: inout WebRTCEndpoint.Configuration) {
        for track in configuration.tracks.indices where configuration.tracks[track].kind == .audio {
            configuration.tracks[track].codecs[0].feedback.remove(.nack)
        }
    }

    @Test(
        "3 % loss at the publisher and at the subscriber, both ways: less than 0.5 % of the audio is lost, and all of it arrives in time",
        arguments: [false, true], UInt64(1)...3)
    func bothWays(hasVideo: Bool, seed: UInt64) throws {
        let (call, publisher) = try VirtualCall.withPublisher(
            seed: 900 + seed, conditions: LinkConditions(delay: .milliseconds(20)),
            video: hasVideo ? [.init(width: 640, height: 360, bitrate: .kilobits(400))] : nil)
        let subscriber = try call.view(video: hasVideo)
        call.run(seconds: 1)
        let delays = Delays(of: subscriber, in: call)
        lose(publisher, in: call)
        lose(subscriber, in: call)
        call.run(seconds: 60)
        let reception = subscriber.reception
        let counters = call.relay.counters
        print("audio \(reception.audioPackets), missed \(reception.missedAudioPackets), late \(subscriber.audio.late)")
        #expect(reception.audioPackets > 2_950 && reception.wrong == 0)
        #expect(Double(reception.missedAudioPackets) < 0.005 * Double(reception.audioPackets), "\(reception)")
        // A packet that was lost once takes two round trips longer, of 40 ms, and waits for the packet after it.
        #expect(delays.share(beyond: .milliseconds(250)) < 0.005)
        #expect(counters.nacksSent > 30 && counters.nacksReceived > 30 && counters.packetsRetransmitted > 30)
        #expect(subscriber.audio.late > 100 && publisher.statistics.retransmissions > 30)
        #expect(publisher.end == nil && subscriber.end == nil)
    }

    @Test("A publisher that has not negotiated NACK for Opus is not asked for missing audio")
    func publisherWithoutNACK() throws {
        let call = try VirtualCall(seed: 911)
        let publisher = try call.publish(video: nil, change: withoutNACK)
        call.run(seconds: 0.5)
        let subscriber = try call.view(video: false)
        call.run(seconds: 1)
        lose(publisher, in: call)
        call.run(seconds: 20)
        #expect(call.relay.counters.nacksSent == 0 && publisher.statistics.retransmissions == 0)
        #expect(subscriber.reception.missedAudioPackets > 10)
    }

    @Test("A subscriber that has not negotiated NACK for Opus loses audio on its path, another does not")
    func subscriberWithoutNACK() throws {
        let (call, _) = try VirtualCall.withPublisher(seed: 912)
        let subscriber = try call.view(change: withoutNACK)
        let other = try call.view()
        call.run(seconds: 1)
        for client in [subscriber, other] { lose(client, in: call) }
        call.run(seconds: 20)
        #expect(subscriber.reception.missedAudioPackets > 10)
        #expect(other.reception.missedAudioPackets < 5, "\(other.reception)")
        #expect(subscriber.reception.frames > 500 && other.reception.frames > 500)
    }

    @Test("A participant gets lost audio of all streams again, beside their video")
    func participants() throws {
        let room = try VirtualSession(seed: 913)
        let publishers = (0..<3).map { room.join("p\($0)") }
        for (number, publisher) in publishers.enumerated() { try room.publish("camera \(number)", by: publisher) }
        let bob = room.join("Bob")
        for number in publishers.indices { try room.subscribe(bob, to: "camera \(number)") }
        try room.run(seconds: 2)
        bob.setDownlink(Self.lossy)
        bob.forgetReceived()
        try room.run(seconds: 20)
        for number in publishers.indices {
            let heard = try #require(bob.received["camera \(number)"]).audioPackets
            #expect((990...1_005).contains(heard), "\(heard)")
        }
        #expect(bob.strays.isEmpty && room.call.relay.counters.packetsRetransmitted > 60)
    }
}
