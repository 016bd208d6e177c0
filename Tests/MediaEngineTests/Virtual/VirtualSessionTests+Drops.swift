import Forwarding
import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Testing
import Transport
import WebRTCClient

extension VirtualSessionTests {
    /// Two sessions with one subscriber each; sends to the first subscriber fail for a while.
    private struct Sessions {
        let call: VirtualCall
        let slow: VirtualClient
        let other: VirtualClient

        init(seed: UInt64) throws {
            call = try VirtualCall(seed: seed)
            try call.publish("slow", source: 1)
            try call.publish("other", source: 2)
            call.run(seconds: 0.5)
            slow = try call.view("slow", source: 1)
            other = try call.view("other", source: 2)
            call.run(seconds: 3)
        }

        /// - Parameter refuse: called for each send to the first subscriber.
        func run(seconds: Double, refusing refuse: @escaping () -> SendDropCause?) {
            let address = slow.address
            call.relay.refuse = { $0.address == address ? refuse() : nil }
            call.run(seconds: seconds)
            call.relay.refuse = nil
        }
    }

    @Test(
        "Sends to one subscriber fail for 2 s: its video resumes with a key frame, another session misses no packets",
        arguments: SendDropCause.allCases)
    func refusedSends(_ cause: SendDropCause) throws {
        let sessions = try Sessions(seed: 61)
        let (call, slow, other) = (sessions.call, sessions.slow, sessions.other)
        let before = slow.reception
        let requests = call.relay.counters.keyFrameRequestsSent
        let estimate = try call.relay.peerStatistics(slow.id, session: "slow").availableBitrate
        sessions.run(seconds: 2) { cause }
        let during = slow.reception
        #expect(during.frames <= before.frames + 2 && during.audioPackets <= before.audioPackets + 2)
        let counters = call.relay.counters
        #expect(counters.sendDrops[cause] > 100 && counters.sendDrops.total == counters.sendDrops[cause])
        let statistics = try call.relay.peerStatistics(slow.id, session: "slow")
        // The totals also include answers to checks, and reports.
        let unsent = try #require(statistics.unsent[cause.label])
        #expect(unsent > 90 && unsent <= counters.sendDrops[cause] && statistics.unsent.count == 1)
        #expect(try call.relay.peerStatistics(other.id, session: "other").unsent.isEmpty)
        #expect(try #require(statistics.availableBitrate) < #require(estimate))
        #expect(counters.keyFrameRequestsSent - requests <= 6, "\(counters.keyFrameRequestsSent - requests)")
        // Key frame requests back off while sends fail, and the estimate has to recover.
        call.run(seconds: 10)
        let after = slow.reception
        #expect(after.frames > during.frames + 60 && after.keyFrames > during.keyFrames, "\(during) \(after)")
        #expect(after.audioPackets > during.audioPackets + 140)
        #expect(after.wrong == 0 && after.outOfOrder == 0)
        // Before the key frame the client requests only its usual number of missing packets, and none is retransmitted.
        #expect(call.relay.counters.packetsRetransmitted == 0 && call.relay.counters.nacksReceived < 1_000)
        let reception = other.reception
        #expect(reception.missedFrames == 0 && reception.missedAudioPackets == 0 && reception.wrong == 0)
        #expect(reception.longestPause < .milliseconds(50), "\(reception)")
        #expect(other.audio.isContiguous && other.frames.isContiguous)
    }

    @Test("A buffer that is full at times: audio continues between the drops, no broken frame reaches the subscriber")
    func bufferFullAtTimes() throws {
        let sessions = try Sessions(seed: 62)
        let (call, slow, other) = (sessions.call, sessions.slow, sessions.other)
        let before = slow.reception
        var random = SeededGenerator(seed: 62)
        sessions.run(seconds: 10) { random.next() % 10 == 0 ? .bufferFull : nil }
        let reception = slow.reception
        let heard = reception.audioPackets - before.audioPackets
        // Most of the refused packets are sent again at the client's request.
        #expect((470...500).contains(heard), "\(heard) of 500 packets of audio, one in ten refused")
        #expect(reception.wrong == 0 && reception.outOfOrder == 0)
        #expect(call.relay.counters.sendDrops[.bufferFull] > 20)
        call.run(seconds: 12)
        let end = slow.reception.frames
        call.run(seconds: 2)
        #expect(slow.reception.frames > end + 50, "\(slow.reception)")
        #expect(other.reception.missedFrames == 0 && other.audio.isContiguous)
    }
}
