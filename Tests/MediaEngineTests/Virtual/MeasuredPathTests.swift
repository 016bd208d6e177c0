import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing
import WebRTCClient
import WebRTCTestKit

@Suite("The path of a subscriber is measured from its first video on, in virtual time")
struct MeasuredPathTests {
    /// Audio that one participant receives: whether its packets have transport-wide numbers and send times, and gaps of each section.
    private final class Audio {
        var measured = 0
        var unmeasured = 0
        private(set) var watches: [MID: SequenceWatch] = [:]

        init(of participant: VirtualParticipant, in room: VirtualSession) {
            let take = participant.receiving.onPacket
            participant.receiving.onPacket = { [unowned self, unowned room] packet in
                if packet.kind == .audio {
                    let has = (packet.extensions.transportSequence != nil, packet.extensions.sendTime != nil)
                    if has == (true, true) { measured += 1 }
                    if has == (false, false) { unmeasured += 1 }
                    watches[packet.mid, default: SequenceWatch()].note(packet, now: room.call.now)
                }
                take?(packet)
            }
        }
    }

    /// A session of three participants who publish audio, and one who subscribes to it.
    private func scene(seed: UInt64) throws -> (VirtualSession, VirtualParticipant, Audio) {
        let room = try VirtualSession(seed: seed)
        for name in ["ada", "eva", "kim"] { try room.publish(name, by: room.join(name), video: []) }
        let bob = room.join("bob")
        for name in ["ada", "eva", "kim"] { try room.subscribe(bob, to: name, kinds: [.audio]) }
        let audio = Audio(of: bob, in: room)
        try room.run(seconds: 6)
        return (room, bob, audio)
    }

    private func statistics(of participant: VirtualParticipant, in room: VirtualSession) throws -> PeerStatistics {
        try room.call.control {
            try $0.peerStatistics(#require(participant.subscriberID), session: room.session)
        }
    }

    private func wait(
        _ seconds: Double, in room: VirtualSession, until condition: () -> Bool
    ) throws -> Bool {
        for _ in 0..<Int(seconds * 20) where !condition() { try room.run(seconds: 0.05) }
        return condition()
    }

    @Test("A participant who receives only audio sends receiver reports and no transport-wide feedback")
    func audioAlone() throws {
        let (room, bob, audio) = try scene(seed: 921)
        let sent = bob.receiving.statistics
        #expect(sent.feedbackSent == 0 && sent.reportsSent >= 4)
        #expect(audio.measured == 0 && audio.unmeasured > 700, "\(audio.unmeasured)")
        #expect(audio.watches.count == 3 && audio.watches.values.allSatisfy(\.isContiguous))
        let statistics = try statistics(of: bob, in: room)
        #expect(statistics.availableBitrate == nil && statistics.roundTrip != nil)
    }

    @Test("With the first video the packets of all tracks get numbers, and layers follow the capacity of the path")
    func firstVideo() throws {
        let (room, bob, audio) = try scene(seed: 922)
        try room.publish(
            "camera", by: room.join("cam"), video: SyntheticVideo.Encoding.simulcast, rids: ParticipantTests.rids)
        try room.run(seconds: 1)
        #expect(bob.receiving.statistics.feedbackSent == 0)
        try room.subscribe(bob, to: "camera")
        func encoding() -> UInt8? { bob.received["camera"]?.encoding }
        #expect(try wait(8, in: room) { encoding() == 2 }, "\(String(describing: encoding()))")
        #expect(bob.receiving.statistics.feedbackSent > 10)
        let statistics = try statistics(of: bob, in: room)
        #expect(try #require(statistics.availableBitrate) > .kilobits(1_500))
        audio.unmeasured = 0
        audio.measured = 0
        try room.run(seconds: 2)
        #expect(audio.unmeasured == 0 && audio.measured > 380, "\(audio.measured)")
        #expect(audio.watches.count == 4 && audio.watches.values.allSatisfy(\.isContiguous))

        var path = LinkConditions(delay: .milliseconds(20))
        path.queue = 40_000
        path.rate = .kilobits(1_000)
        bob.setDownlink(path)
        #expect(try wait(3, in: room) { encoding().map { $0 < 2 } ?? false })
        try room.run(seconds: 10)
        path.rate = .kilobits(10_000)
        bob.setDownlink(path)
        #expect(try wait(12, in: room) { encoding() == 2 })
        #expect(bob.strays.isEmpty && bob.receiveEnd == nil)
    }

    @Test("Audio that is lost at the first video is sent again, and none of it under two headers")
    func lossAtFirstVideo() throws {
        let (room, bob, audio) = try scene(seed: 923)
        try room.publish("camera", by: room.join("cam"))
        bob.setDownlink(LinkConditions(loss: 0.1, delay: .milliseconds(10)))
        bob.forgetReceived()
        try room.run(seconds: 2)
        try room.subscribe(bob, to: "camera")
        try room.run(seconds: 4)
        bob.setDownlink(LinkConditions(delay: .milliseconds(10)))
        try room.run(seconds: 1)
        for name in ["ada", "eva", "kim"] {
            // 7 s. Under an AEAD suite, packets from before the first video are not sent again after it.
            let heard = try #require(bob.received[name]).audioPackets
            #expect(heard >= 342, "\(heard)")
        }
        #expect(audio.measured > 100 && audio.unmeasured > 900 && bob.strays.isEmpty)
        #expect(room.call.relay.counters.packetsRetransmitted > 30)
    }
}
