import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import SDP
import Testing
import Transport
import WebRTCClient
import WebRTCTestKit

extension VirtualSessionTests {
    /// 10 publishers, 90 subscribers.
    enum Crowd: String, CaseIterable, Sendable {
        case tenSessions = "ten sessions of ten"
        case oneSession = "one session of a hundred"

        func session(_ publisher: Int) -> String { self == .oneSession ? "room" : "room \(publisher)" }
    }

    private static let sizeOfCrowd = (publishers: 10, subscribers: 90)

    /// Result of a run: equal for equal seeds.
    private struct Outcome: Equatable {
        var received: [EndpointStatistics] = []
        var seen: [SyntheticReception] = []
        var published: [EndpointStatistics] = []
        var relay: [String] = []
    }

    private struct Lap {
        var virtual: MediaTime
        /// CPU time of the thread, so that other load on the machine does not count.
        var spent: MediaTime
        var factor: Double { virtual.seconds / spent.seconds }
    }

    /// 5 % loss each way in bursts of two, with jitter that reorders packets.
    private static var roughPath: LinkConditions {
        var conditions = LinkConditions(delay: .milliseconds(15))
        conditions.loss = .bursts(.bursts(loss: 0.05, length: 2))
        conditions.jitter = .uniform(.milliseconds(8))
        conditions.jitterReorders = true
        return conditions
    }

    /// Connects all clients over a bad path, runs for `seconds`, and delivers the packets that are then still in flight.
    private func run(_ crowd: Crowd, seed: UInt64, seconds: Double) throws -> (VirtualCall, Outcome, Lap) {
        let before = ThreadTime.now
        let call = try VirtualCall(seed: seed, conditions: Self.roughPath)
        let publishers = try (0..<Self.sizeOfCrowd.publishers).map { number in
            try call.publish(
                crowd.session(number), stream: "stream \(number)", source: UInt32(number + 1),
                video: [.init(width: 320, height: 180, bitrate: .kilobits(200))])
        }
        #expect(call.run(atMost: 10) { publishers.allSatisfy { $0.connectedAt != nil } })
        // The relay knows a stream once it has the keys, which may be one flight later than the publisher.
        call.run(seconds: 3)
        let subscribers = try (0..<Self.sizeOfCrowd.subscribers).map { number in
            call.run(seconds: 0.005)
            let publisher = number % publishers.count
            return try call.view(
                crowd.session(publisher), stream: "stream \(publisher)", source: UInt32(publisher + 1))
        }
        #expect(call.run(atMost: 10) { subscribers.allSatisfy { $0.connectedAt != nil } })
        call.run(seconds: seconds)
        for publisher in publishers { publisher.publisher.stop() }
        call.run(seconds: 1)
        let counters = call.relay.counters
        let relay = (counters.all + counters.gauges).map { "\($0.name) \($0.value)" }
        return (
            call,
            Outcome(
                received: subscribers.map(\.statistics), seen: subscribers.map(\.reception),
                published: publishers.map(\.statistics),
                relay: relay + counters.dropped.map { "\($0.cause) \($0.count)" }),
            Lap(virtual: call.now, spent: ThreadTime.now - before)
        )
    }

    @Test(
        "A hundred peers with 5 % loss each way: lost media is recovered, no packet reaches a wrong peer, faster than real time",
        arguments: Crowd.allCases)
    func crowd(_ crowd: Crowd) throws {
        let (call, outcome, lap) = try run(crowd, seed: 11, seconds: 10)
        var frames: UInt64 = 0
        var missed: UInt64 = 0
        var audioPackets: UInt64 = 0
        var lost: UInt64 = 0
        for (number, seen) in outcome.seen.enumerated() {
            #expect(seen.wrong == 0, "subscriber \(number): \(seen)")
            #expect(seen.frames > 200, "subscriber \(number): \(seen)")
            frames += seen.frames
            missed += seen.missedFrames
            audioPackets += seen.audioPackets
            lost += seen.missedAudioPackets
        }
        let share = Double(frames) / Double(frames + missed)
        let heard = Double(audioPackets) / Double(audioPackets + lost)
        print(
            "\(crowd.rawValue): \(lap.virtual.seconds) s in \(lap.spent.seconds) s of CPU, \(lap.factor) times as fast;",
            "frames \(share), audio \(heard),",
            "longest pause \(outcome.seen.map(\.longestPause).max() ?? .zero),",
            "recovered \(outcome.received.map(\.recovered).reduce(0, +)) of",
            "\(outcome.received.map(\.receivedPackets).reduce(0, +)) packets, tracks paused \(call.relay.counters.tracksPaused)"
        )
        #expect(share > 0.98, "\(share)")
        #expect(heard > 0.98, "\(heard)")
        let counters = call.relay.counters
        #expect(counters.peersConnected == 100 && counters.peersLostConsent + counters.peersTimedOut == 0)
        #expect(call.clients.allSatisfy { $0.end == nil })
        #if DEBUG
            #expect(lap.factor > 0.2, "\(lap)")
        #else
            #expect(lap.factor > 1, "\(lap)")
        #endif
    }

    @Test("The same seed gives the same run, to the last packet; another seed gives another")
    func repeatable() throws {
        let (_, first, _) = try run(.tenSessions, seed: 21, seconds: 2)
        let (_, second, _) = try run(.tenSessions, seed: 21, seconds: 2)
        let (_, other, _) = try run(.tenSessions, seed: 22, seconds: 2)
        #expect(first.relay == second.relay)
        #expect(first.published == second.published && first.received == second.received)
        #expect(first.seen == second.seen)
        #expect(first.received != other.received && first.relay != other.relay)
    }
}
