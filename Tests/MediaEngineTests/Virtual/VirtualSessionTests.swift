import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Testing
import Transport
import WebRTCClient

@Suite("Sessions in virtual time")
struct VirtualSessionTests {
    @Test("One publisher, two subscribers, a clean path: every packet arrives, in order and unchanged")
    func cleanPath() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 1)
        let subscribers = try (0..<2).map { _ in try call.view() }
        call.run(seconds: 10)
        let connected = try #require(publisher.connectedAt)
        #expect(connected < .milliseconds(300), "\(connected)")
        for subscriber in subscribers {
            let reception = subscriber.reception
            #expect(
                subscriber.audio.isContiguous && subscriber.frames.isContiguous,
                "\(subscriber.audio) \(subscriber.frames)")
            #expect(subscriber.audio.packets > 480 && reception.frames > 290, "\(reception)")
            #expect(reception.missedFrames == 0 && reception.missedAudioPackets == 0 && reception.wrong == 0)
            #expect(reception.outOfOrder == 0 && reception.longestPause < .milliseconds(50), "\(reception)")
            // Twice 10 ms of delay and 1 ms of gathering; packets that are cached for new subscribers are older.
            let joined = try #require(subscriber.connectedAt)
            #expect(try #require(reception.firstFrame) - joined < .milliseconds(100))
            #expect(subscriber.statistics.refused == 0 && subscriber.statistics.recovered == 0)
            #expect(subscriber.statistics.reportsReceived >= 4 && subscriber.end == nil)
        }
        let counters = call.relay.counters
        #expect(counters.dropped.allSatisfy { $0.count == 0 }, "\(counters.dropped)")
        #expect(counters.peersConnected == 3 && counters.sessions == 1 && counters.transports == 3)
        #expect(publisher.statistics.retransmissions == 0 && publisher.statistics.reportedLoss == 0)
    }

    @Test("A subscriber that joins late sees a frame at once")
    func lateJoiner() throws {
        let (call, _) = try VirtualCall.withPublisher(seed: 2)
        call.run(seconds: 1)
        for _ in 0..<5 {
            let subscriber = try call.view()
            call.run(seconds: 0.3)
            let joined = try #require(subscriber.connectedAt)
            let first = try #require(subscriber.reception.firstFrame)
            #expect(first - joined <= .milliseconds(100), "\(first - joined)")
            #expect(subscriber.reception.missedFrames == 0 && subscriber.reception.wrong == 0)
        }
    }
}
